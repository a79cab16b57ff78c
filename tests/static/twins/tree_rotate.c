/* A rotation that drops the middle subtree. */
#include "twin.h"
struct tree { struct tree *left, *right; };
static struct tree *node(struct tree *l, struct tree *r)
{
    struct tree *t = malloc(sizeof *t);
    if (!t)
        abort();
    t->left = l;
    t->right = r;
    return t;
}
static void destroy(struct tree *t)
{
    if (t) {
        destroy(t->left);
        destroy(t->right);
        free(t);
    }
}
int scenario(int round)
{
    struct tree *mid = node(NULL, NULL);
    struct tree *x = node(NULL, mid);
    struct tree *y = node(x, NULL);
    mid = NULL;
#ifdef LEAK
    y->left = NULL;
#else
    y->left = x->right;
#endif
    x->right = y;
    destroy(x);
    return round;
}
