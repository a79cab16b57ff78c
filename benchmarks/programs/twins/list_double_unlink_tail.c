/* Unlinking the last node sets the head to the successor of that node, which is null. */
#include <stdio.h>
#include <stdlib.h>

struct entry {
    int key;
    struct entry *prev, *next;
};
struct lru {
    struct entry *first, *last;
    int count;
};

static void insert(struct lru *l, int key) {
    struct entry *e = malloc(sizeof *e);
    if (!e)
        return;
    *e = (struct entry){key, NULL, l->first};
    if (l->first)
        l->first->prev = e;
    else
        l->last = e;
    l->first = e;
    l->count++;
}

static void evict(struct lru *l) {
    struct entry *e = l->last;
    if (!e)
        return;
    l->last = e->prev;
    if (e->prev)
        e->prev->next = NULL;
#ifdef LEAK
    l->first = e->next;
#else
    else
        l->first = NULL;
#endif
    l->count--;
    free(e);
}

int main(void) {
    struct lru l = {NULL, NULL, 0};
    for (int i = 0; i < 6; i++) {
        insert(&l, i);
        if (l.count > 3)
            evict(&l);
    }
    for (struct entry *e = l.first, *next; e; e = next) {
        next = e->next;
        printf("%d\n", e->key);
        free(e);
    }
    return 0;
}
