/* A node for a name that is already in the sorted list is neither linked nor released. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct word {
    struct word *next;
    int count;
    char text[12];
};

static void note(struct word **list, const char *text) {
    struct word *w = calloc(1, sizeof *w);
    if (!w)
        return;
    w->count = 1;
    snprintf(w->text, sizeof w->text, "%s", text);
    while (*list && strcmp((*list)->text, text) < 0)
        list = &(*list)->next;
    if (*list && !strcmp((*list)->text, text)) {
        (*list)->count++;
#ifndef LEAK
        free(w);
#endif
        return;
    }
    w->next = *list;
    *list = w;
}

int main(void) {
    struct word *list = NULL;
    note(&list, "to");
    note(&list, "be");
    note(&list, "to");
    while (list) {
        struct word *w = list;
        list = w->next;
        printf("%s %d\n", w->text, w->count);
        free(w);
    }
    return 0;
}
