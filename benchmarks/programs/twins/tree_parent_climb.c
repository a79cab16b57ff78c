/* The release climbs by parent links and forgets the nodes that have only a right child. */
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *parent, *left, *right;
    int key;
};

static void insert(struct node **root, int key) {
    struct node *parent = NULL, **at = root;
    while (*at) {
        parent = *at;
        at = key < parent->key ? &parent->left : &parent->right;
    }
    *at = malloc(sizeof **at);
    if (*at)
        **at = (struct node){parent, NULL, NULL, key};
}

static int drop(struct node *n) {
    int freed = 0;
    while (n) {
        struct node *child = n->left ? n->left : n->right;
        if (child) {
            if (n->left)
                n->left = NULL;
            else
                n->right = NULL;
            n = child;
            continue;
        }
        struct node *parent = n->parent;
#ifdef LEAK
        if (parent && !parent->left && !parent->right && parent->key < n->key)
            parent = parent->parent;
#endif
        free(n);
        freed++;
        n = parent;
    }
    return freed;
}

int main(void) {
    struct node *root = NULL;
    int keys[] = {40, 20, 60, 10, 70, 80};
    for (int i = 0; i < 6; i++)
        insert(&root, keys[i]);
    printf("%d\n", drop(root) > 0);
    return 0;
}
