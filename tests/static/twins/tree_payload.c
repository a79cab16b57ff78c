/* Nodes own a string each; the destroyer frees the nodes. */
#include "twin.h"
struct tree { struct tree *child[2]; char *label; };
static struct tree *leaf(const char *label)
{
    struct tree *t = calloc(1, sizeof *t);
    if (t)
        t->label = strdup(label);
    return t;
}
static void destroy(struct tree *t)
{
    if (!t)
        return;
    destroy(t->child[0]);
    destroy(t->child[1]);
#ifndef LEAK
    free(t->label);
#endif
    free(t);
}
int scenario(int round)
{
    struct tree *t = leaf("root");
    if (t)
        t->child[round & 1] = leaf("kid");
    destroy(t);
    return round;
}
