/* The tree: a key that is present keeps its old value, and the new one is refused. */
#include "tree.h"
#include <stdlib.h>

struct tree {
    int key;
    char *value;
    struct tree *left, *right;
};

int tree_put(struct tree **t, int key, char *value) {
    while (*t) {
        if ((*t)->key == key)
            return -1;
        t = key < (*t)->key ? &(*t)->left : &(*t)->right;
    }
    *t = calloc(1, sizeof **t);
    if (!*t)
        return -1;
    (*t)->key = key;
    (*t)->value = value;
    return 0;
}

const char *tree_get(const struct tree *t, int key) {
    while (t && t->key != key)
        t = key < t->key ? t->left : t->right;
    return t ? t->value : NULL;
}

void tree_free(struct tree *t) {
    if (!t)
        return;
    tree_free(t->left);
    tree_free(t->right);
    free(t->value);
    free(t);
}
