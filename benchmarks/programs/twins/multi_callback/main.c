/* The visitor drops words that are shorter than the best, but not those of equal length. */
#include "walk.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void longest(char *word, void *data) {
    char **best = data;
    if (*best && strlen(word) < strlen(*best)) {
        free(word);
        return;
    }
#ifdef LEAK
    if (*best && strlen(word) == strlen(*best))
        return;
#endif
    free(*best);
    *best = word;
}

int main(void) {
    char *best = NULL;
    walk_words("to be or  not that is", longest, &best);
    puts(best ? best : "none");
    free(best);
    return 0;
}
