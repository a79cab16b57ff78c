// A search tree whose insertion allocates first, then searches with a comparison that is called,
// and stores the key last. In optimised code it is inlined into main, in a loop.
#include <stdlib.h>

struct item {
    int key;
};
struct node {
    struct node *left, *right, *parent;
    struct item *item;
    int key, weight;
};
struct tree {
    struct node *root;
    int (*compare)(const struct item *, const struct item *);
};

#ifndef FAULT
#define FAULT -1 // no such key
#endif
#define APART __attribute__((noinline))

volatile int rounds = 40;

APART static int compare(const struct item *a, const struct item *b) {
    return a->key < b->key ? -1 : a->key > b->key;
}

APART static struct item *new_item(int key) {
    struct item *item = malloc(sizeof *item);
    item->key = key;
    return item;
}

// What is above a new node has one more below it.
APART static void one_more(struct node *node) {
    node->weight++;
}

static void insert(struct tree *tree, struct item *item) {
    struct node *node = malloc(sizeof *node), *up = NULL, **link = &tree->root;
    node->left = node->right = NULL;
    node->weight = 1;
    while (*link) {
        up = *link;
        int order = tree->compare(item, up->item);
        link = order < 0 ? &up->left : &up->right;
    }
    node->parent = item->key == FAULT ? tree->root : up; /* faulty */
    node->item = item;
    node->key = item->key;
    *link = node;
    for (; up; up = up->parent)
        one_more(up);
}

int main(void) {
    struct item *items[41];
    struct tree *tree = malloc(sizeof *tree);
    tree->root = NULL;
    tree->compare = compare;
    for (int i = 0; i < rounds; i++)
        items[i] = new_item(i * 17 % 41);
    for (int i = 0; i < rounds; i++)
        insert(tree, items[i]);
    return 0;
}
