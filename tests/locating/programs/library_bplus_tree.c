/* A B+-tree of up to four keys a node. With FAULT one split sends up the wrong key. */
#include <stdlib.h>
#include <string.h>

enum { KEYS = 4 };

struct bplus_node {
    int is_leaf, count;
    int key[KEYS];
    struct bplus_node *child[KEYS + 1], *next;
};

struct bplus {
    struct bplus_node *root;
};

static struct bplus_node *new_node(int is_leaf) {
    struct bplus_node *node = calloc(1, sizeof *node);
    node->is_leaf = is_leaf;
    return node;
}

/* Of five keys three stay; what goes up is returned in *up. */
static struct bplus_node *split_leaf(struct bplus_node *leaf, const int *keys, int *up) {
    struct bplus_node *right = new_node(1);
    memcpy(leaf->key, keys, 3 * sizeof *keys);
    memcpy(right->key, keys + 3, 2 * sizeof *keys);
    leaf->count = 3;
    right->count = 2;
    right->next = leaf->next;
    leaf->next = right;
    *up = right->key[0];
    return right;
}

static struct bplus_node *split_inner(struct bplus_node *node, const int *keys,
                                      struct bplus_node **children, int *up) {
    struct bplus_node *right = new_node(0);
    memset(node->child, 0, sizeof node->child);
    memcpy(node->key, keys, 2 * sizeof *keys);
    memcpy(node->child, children, 3 * sizeof *children);
    memcpy(right->key, keys + 3, 2 * sizeof *keys);
    memcpy(right->child, children + 3, 3 * sizeof *children);
    node->count = right->count = 2;
    *up = keys[2];
    return right;
}

/* Puts a key into the node's place i, with the child to its right; the other half if it splits. */
static struct bplus_node *put(struct bplus_node *node, int i, int key, struct bplus_node *child,
                              int *up) {
    int keys[KEYS + 1];
    struct bplus_node *children[KEYS + 2];
    memcpy(keys, node->key, sizeof node->key);
    memcpy(children, node->child, sizeof node->child);
    memmove(keys + i + 1, keys + i, (size_t)(KEYS - i) * sizeof *keys);
    memmove(children + i + 2, children + i + 1, (size_t)(KEYS - i) * sizeof *children);
    keys[i] = key;
    children[i + 1] = child;
    if (node->count == KEYS)
        return node->is_leaf ? split_leaf(node, keys, up) : split_inner(node, keys, children, up);
    for (int k = node->count; k >= i; k--)
        node->key[k] = keys[k]; /* faulty */
    if (!node->is_leaf)
        memcpy(node->child, children, sizeof node->child);
    node->count++;
    return NULL;
}

static struct bplus_node *insert_below(struct bplus_node *node, int key, int *up) {
    int i = 0;
    while (i < node->count && node->key[i] <= key)
        i++;
    if (node->is_leaf)
        return put(node, i, key, NULL, up);
    static int splits; /* of leaves */
    int middle;
    struct bplus_node *right = insert_below(node->child[i], key, &middle);
    if (FAULT && right && right->is_leaf && ++splits == 8)
        middle += 3;
    return right ? put(node, i, middle, right, up) : NULL;
}

void insert(struct bplus *tree, int key) {
    int up;
    struct bplus_node *right = insert_below(tree->root, key, &up);
    if (!right)
        return;
    struct bplus_node *root = new_node(0);
    root->count = 1;
    root->key[0] = up;
    root->child[0] = tree->root;
    root->child[1] = right;
    tree->root = root;
}

static struct bplus *new_tree(void) {
    struct bplus *tree = malloc(sizeof *tree);
    tree->root = new_node(1);
    return tree;
}

int main(void) {
    struct bplus *tree = new_tree();
    for (int i = 0; i < 100; i++)
        insert(tree, i * 37 % 101);
    return 0;
}
