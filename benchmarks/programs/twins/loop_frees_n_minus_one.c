/* The loop that releases the words starts at one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 4 };

int main(void) {
    char *word[WORDS] = {NULL};
    for (int i = 0; i < WORDS; i++) {
        word[i] = malloc(8);
        if (word[i])
            snprintf(word[i], 8, "w%d", i);
    }
    for (int i = WORDS - 1; i >= 0; i--)
        printf("%s ", word[i] ? word[i] : "-");
    puts("");
#ifdef LEAK
    for (int i = 1; i < WORDS; i++)
#else
    for (int i = 0; i < WORDS; i++)
#endif
        free(word[i]);
    return 0;
}
