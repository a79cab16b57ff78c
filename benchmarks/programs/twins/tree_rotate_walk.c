/* The release by rotation loses the inner subtree when it turns a left child up. */
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *left, *right;
    int key;
};

static void insert(struct node **at, int key) {
    while (*at)
        at = key < (*at)->key ? &(*at)->left : &(*at)->right;
    *at = malloc(sizeof **at);
    if (*at)
        **at = (struct node){NULL, NULL, key};
}

static void drop(struct node *t) {
    while (t) {
        struct node *next;
        if (t->left) {
            next = t->left;
#ifndef LEAK
            t->left = next->right;
            next->right = t;
#else
            t->left = NULL;
            next->right = t;
#endif
        } else {
            next = t->right;
            free(t);
        }
        t = next;
    }
}

int main(void) {
    struct node *t = NULL;
    int keys[] = {50, 20, 80, 10, 30, 70};
    for (int i = 0; i < 6; i++)
        insert(&t, keys[i]);
    printf("%d\n", t ? t->key : 0);
    drop(t);
    return 0;
}
