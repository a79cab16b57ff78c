/* The variable with the cleanup attribute is assigned anew; only the last value is cleaned up. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void free_text(char **p) {
    free(*p);
}

static size_t measure(const char *const *words) {
    __attribute__((cleanup(free_text))) char *word = NULL;
    size_t total = 0;
    for (; *words; words++) {
#ifndef LEAK
        free(word);
#endif
        word = strdup(*words);
        if (word)
            total += strlen(word);
    }
    return total;
}

int main(void) {
    static const char *const words[] = {"one", "three", "seven", NULL};
    printf("%zu\n", measure(words));
    return 0;
}
