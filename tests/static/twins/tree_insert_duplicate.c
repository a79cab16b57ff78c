/* A key that exists already: the new node is not needed. */
#include "twin.h"
struct tree { struct tree *left, *right; int key; };
static void insert(struct tree **at, int key)
{
    struct tree *n = calloc(1, sizeof *n);
    if (!n)
        return;
    n->key = key;
    while (*at) {
        if ((*at)->key == key) {
#ifndef LEAK
            free(n);
#endif
            return;
        }
        at = key < (*at)->key ? &(*at)->left : &(*at)->right;
    }
    *at = n;
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
    struct tree *root = NULL;
    insert(&root, 5);
    insert(&root, 3);
    insert(&root, 5);
    destroy(root);
    return round;
}
