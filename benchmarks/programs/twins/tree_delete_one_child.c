/* Deleting a node with one child returns the child and loses the node. */
#include <stdio.h>
#include <stdlib.h>

struct node {
    int key;
    struct node *left, *right;
};

static struct node *make(int key, struct node *left, struct node *right) {
    struct node *n = malloc(sizeof *n);
    if (!n)
        abort();
    *n = (struct node){key, left, right};
    return n;
}

static struct node *take_min(struct node *t, int *key) {
    if (t->left) {
        t->left = take_min(t->left, key);
        return t;
    }
    *key = t->key;
    struct node *right = t->right;
#ifdef LEAK
    if (right)
        return right;
#endif
    free(t);
    return right;
}

int main(void) {
    struct node *t = make(4, make(1, NULL, make(3, NULL, NULL)), make(6, NULL, NULL));
    while (t) {
        int key = 0;
        t = take_min(t, &key);
        printf("%d\n", key);
    }
    return 0;
}
