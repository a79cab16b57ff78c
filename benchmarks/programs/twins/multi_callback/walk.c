/* Cuts the words. */
#include "walk.h"
#include <string.h>

void walk_words(const char *text, void (*visit)(char *word, void *data), void *data) {
    while (*text) {
        size_t n = strcspn(text, " ");
        char *word = n ? strndup(text, n) : NULL;
        if (word)
            visit(word, data);
        text += n;
        text += strspn(text, " ");
    }
}
