/* When the node cannot be had, the text that was copied for it is lost. */
// needs a failing allocation
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct line {
    char *text;
    struct line *next;
};

static int append(struct line ***end, const char *text) {
    char *copy = strdup(text);
    if (!copy)
        return -1;
    struct line *l = malloc(sizeof *l);
    if (!l) {
#ifndef LEAK
        free(copy);
#endif
        return -1;
    }
    *l = (struct line){copy, NULL};
    **end = l;
    *end = &l->next;
    return 0;
}

int main(void) {
    struct line *first = NULL, **end = &first;
    append(&end, "alpha");
    append(&end, "omega");
    while (first) {
        struct line *next = first->next;
        puts(first->text);
        free(first->text);
        free(first);
        first = next;
    }
    return 0;
}
