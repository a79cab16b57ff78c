/* The longest word so far is replaced without releasing it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *longest(const char *const *word) {
    char *best = NULL;
    for (; *word; word++) {
        if (!best || strlen(*word) > strlen(best)) {
#ifndef LEAK
            free(best);
#endif
            best = strdup(*word);
        }
    }
    return best;
}

int main(void) {
    static const char *const words[] = {"a", "quick", "fox", "jumping", "over", NULL};
    char *best = longest(words);
    if (best) {
        puts(best);
        free(best);
    }
    return 0;
}
