/* The recursive release visits the left children twice and the right ones never. */
#include <stdio.h>
#include <stdlib.h>

struct node {
    int key;
    struct node *left, *right;
};

static struct node *insert(struct node *t, int key) {
    if (!t) {
        t = malloc(sizeof *t);
        if (t)
            *t = (struct node){key, NULL, NULL};
    } else if (key < t->key) {
        t->left = insert(t->left, key);
    } else {
        t->right = insert(t->right, key);
    }
    return t;
}

static void drop(struct node *t) {
    if (!t)
        return;
    drop(t->left);
#ifdef LEAK
    t->left = NULL;
    drop(t->left);
#else
    drop(t->right);
#endif
    free(t);
}

static int depth(const struct node *t) {
    if (!t)
        return 0;
    int l = depth(t->left), r = depth(t->right);
    return 1 + (l > r ? l : r);
}

int main(void) {
    struct node *t = NULL;
    int keys[] = {5, 2, 8, 1, 9};
    for (int i = 0; i < 5; i++)
        t = insert(t, keys[i]);
    printf("%d\n", depth(t));
    drop(t);
    return 0;
}
