/* Recursion that frees the rest before itself. */
#include "twin.h"
struct node { struct node *next; int v; };
static void drop(struct node *n)
{
    if (!n)
        return;
#ifndef LEAK
    drop(n->next);
#endif
    free(n);
}
static struct node *cons(int v, struct node *rest)
{
    struct node *n = malloc(sizeof *n);
    if (!n) {
        drop(rest);
        return NULL;
    }
    n->v = v;
    n->next = rest;
    return n;
}
int scenario(int round)
{
    struct node *l = cons(round, cons(2, NULL));
    int r = l ? l->v : 0;
    drop(l);
    return r;
}
