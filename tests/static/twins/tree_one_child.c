/* The destroyer forgets the right children. */
#include "twin.h"
struct tree { struct tree *left, *right; };
static struct tree *make(int depth)
{
    if (depth == 0)
        return NULL;
    struct tree *t = malloc(sizeof *t);
    if (!t)
        return NULL;
    t->left = make(depth - 1);
    t->right = make(depth - 1);
    return t;
}
static void destroy(struct tree *t)
{
    if (!t)
        return;
    destroy(t->left);
#ifndef LEAK
    destroy(t->right);
#endif
    free(t);
}
int scenario(int round)
{
    struct tree *t = make(3);
    destroy(t);
    return round;
}
