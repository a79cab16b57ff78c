/* Removal of the first node returns the rest of the list, and forgets the node. */
#include "list.h"
#include <stdlib.h>

struct list *list_push(struct list *l, int number) {
    struct list *n = malloc(sizeof *n);
    if (!n)
        return l;
    *n = (struct list){number, l};
    return n;
}

struct list *list_remove(struct list *l, int number) {
    if (!l)
        return NULL;
    if (l->number == number) {
        struct list *rest = l->next;
#ifndef LEAK
        free(l);
#endif
        return rest;
    }
    l->next = list_remove(l->next, number);
    return l;
}

void list_free(struct list *l) {
    while (l) {
        struct list *next = l->next;
        free(l);
        l = next;
    }
}
