/* A registry in a global list; the reset sets the head to NULL. */
#include "twin.h"
struct entry { struct entry *next; int id; };
static struct entry *registry;
static void enlist(int id)
{
    struct entry *e = malloc(sizeof *e);
    if (!e)
        return;
    e->id = id;
    e->next = registry;
    registry = e;
}
static void reset(void)
{
#ifndef LEAK
    while (registry) {
        struct entry *next = registry->next;
        free(registry);
        registry = next;
    }
#endif
    registry = NULL;
}
int scenario(int round)
{
    enlist(round);
    enlist(round + 1);
    int r = registry ? registry->id : 0;
    reset();
    return r;
}
