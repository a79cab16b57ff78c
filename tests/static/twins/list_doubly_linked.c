/* A ring with a sentinel on the stack; elements have names. */
#include "twin.h"
struct link { struct link *prev, *next; char *name; };
static void insert(struct link *ring, const char *name)
{
    struct link *l = malloc(sizeof *l);
    if (!l)
        return;
    l->name = strdup(name);
    l->prev = ring;
    l->next = ring->next;
    ring->next->prev = l;
    ring->next = l;
}
int scenario(int round)
{
    struct link ring = { &ring, &ring, NULL };
    insert(&ring, "one");
    insert(&ring, "two");
    int n = round;
    while (ring.next != &ring) {
        struct link *l = ring.next;
        l->prev->next = l->next;
        l->next->prev = l->prev;
#ifndef LEAK
        free(l->name);
#endif
        free(l);
        n++;
    }
    return n;
}
