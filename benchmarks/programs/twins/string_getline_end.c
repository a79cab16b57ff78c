/* The buffer of getline is released in the loop's body only, not when getline returns the end. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int count_words(FILE *in, const char *word) {
    char *line = NULL;
    size_t room = 0;
    int n = 0;
    while (getline(&line, &room, in) != -1) {
        line[strcspn(line, "\n")] = '\0';
        if (!strcmp(line, word)) {
            n++;
            continue;
        }
        if (!strcmp(line, "end"))
            break;
    }
#ifdef LEAK
    if (feof(in))
        return n;
#endif
    free(line);
    return n;
}

int main(void) {
    static char text[] = "a\nb\na\n";
    FILE *in = fmemopen(text, sizeof text - 1, "r");
    if (!in)
        return 0;
    printf("%d\n", count_words(in, "a"));
    fclose(in);
    return 0;
}
