/* The list is created without the callback that destroys its items. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cell {
    void *item;
    struct cell *next;
};
struct list {
    struct cell *first;
    void (*destroy)(void *);
};

static void list_add(struct list *l, void *item) {
    struct cell *c = malloc(sizeof *c);
    if (!c) {
        if (l->destroy)
            l->destroy(item);
        return;
    }
    *c = (struct cell){item, l->first};
    l->first = c;
}

static void list_clear(struct list *l) {
    while (l->first) {
        struct cell *c = l->first;
        l->first = c->next;
        if (l->destroy)
            l->destroy(c->item);
        free(c);
    }
}

int main(void) {
    static char constant[] = "static";
    struct list borrowed = {NULL, NULL};
    list_add(&borrowed, constant);
#ifdef LEAK
    struct list owned = {NULL, NULL};
#else
    struct list owned = {NULL, free};
#endif
    list_add(&owned, strdup("dynamic"));
    printf("%d\n", borrowed.first != owned.first);
    list_clear(&borrowed);
    list_clear(&owned);
    return 0;
}
