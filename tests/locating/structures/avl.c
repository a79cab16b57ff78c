/* AVL tree: a search tree in which the heights of two siblings differ by at most one. Each node
   keeps the height of the tree below it; a leaf has height 0. */
#include "driver.h"

struct avl_node {
    int key;
    int height;
    struct avl_node *left;
    struct avl_node *right;
};

struct avl {
    struct avl_node *root;
};

static struct avl *avl_new(void) {
    struct avl *tree = malloc(sizeof *tree);
    must_have(tree != NULL);
    tree->root = NULL;
    return tree;
}

static struct avl_node *avl_node_new(int key) {
    struct avl_node *node = malloc(sizeof *node);
    must_have(node != NULL);
    node->key = key;
    node->height = 0;
    node->left = NULL;
    node->right = NULL;
    return node;
}

static int height_of(const struct avl_node *node) {
    return node ? node->height : -1;
}

static int balance_of(const struct avl_node *node) {
    return height_of(node->left) - height_of(node->right);
}

static void update_height(struct avl_node *node) {
    int left = height_of(node->left);
    int right = height_of(node->right);
    node->height = (left > right ? left : right) + 1;
}

static struct avl_node *rotate_right(struct avl_node *node) {
    struct avl_node *top = node->left;
    node->left = top->right;
    top->right = node;
    update_height(node);
    update_height(top);
    return top;
}

static struct avl_node *rotate_left(struct avl_node *node) {
    struct avl_node *top = node->right;
    node->right = top->left;
    top->left = node;
    update_height(node);
    update_height(top);
    return top;
}

/* Gives back the root of the same keys, balanced, where the children are and differ by two at
   most. */
static struct avl_node *rebalance(struct avl_node *node) {
    int balance;
    update_height(node);
    balance = balance_of(node);
    if (balance > 1) {
        if (balance_of(node->left) < 0)
            node->left = rotate_left(node->left);
        node = rotate_right(node);
    } else if (balance < -1) {
        if (balance_of(node->right) > 0)
            node->right = rotate_right(node->right);
        node = rotate_left(node);
    }
    return node;
}

static struct avl_node *insert_below(struct avl_node *node, int key, int *added) {
    if (!node) {
        *added = 1;
        return avl_node_new(key);
    }
    if (key < node->key)
        node->left = insert_below(node->left, key, added);
    else if (key > node->key)
        node->right = insert_below(node->right, key, added);
    return *added ? rebalance(node) : node;
}

static int avl_insert(struct avl *tree, int key) {
    int added = 0;
    tree->root = insert_below(tree->root, key, &added);
    return added;
}

/* Takes the leftmost node out and leaves it in *least. */
static struct avl_node *detach_least(struct avl_node *node, struct avl_node **least) {
    if (!node->left) {
        *least = node;
        return node->right;
    }
    node->left = detach_least(node->left, least);
    return rebalance(node);
}

static struct avl_node *remove_root(struct avl_node *node) {
    struct avl_node *successor;
    struct avl_node *right;
    if (!node->left || !node->right) {
        struct avl_node *rest = node->left ? node->left : node->right;
        free(node);
        return rest;
    }
    right = detach_least(node->right, &successor);
    successor->left = node->left;
    successor->right = right;
    free(node);
    return rebalance(successor);
}

static struct avl_node *remove_below(struct avl_node *node, int key, int *removed) {
    if (!node)
        return NULL;
    if (key == node->key) {
        *removed = 1;
        return remove_root(node);
    }
    if (key < node->key)
        node->left = remove_below(node->left, key, removed);
    else
        node->right = remove_below(node->right, key, removed);
    return *removed ? rebalance(node) : node;
}

static int avl_remove(struct avl *tree, int key) {
    int removed = 0;
    tree->root = remove_below(tree->root, key, &removed);
    return removed;
}

static int avl_contains(const struct avl *tree, int key) {
    const struct avl_node *node = tree->root;
    while (node && node->key != key)
        node = key < node->key ? node->left : node->right;
    return node != NULL;
}

/* The least key that is not below the given one. */
static int avl_ceiling(const struct avl *tree, int key, int *ceiling) {
    const struct avl_node *best = NULL;
    const struct avl_node *node = tree->root;
    while (node) {
        if (node->key >= key) {
            best = node;
            node = node->left;
        } else {
            node = node->right;
        }
    }
    if (best)
        *ceiling = best->key;
    return best != NULL;
}

static unsigned digest_below(const struct avl_node *node, unsigned digest, long *count) {
    if (!node)
        return digest;
    digest = digest_below(node->left, digest, count);
    digest = digest * 31 + (unsigned)node->key;
    ++*count;
    return digest_below(node->right, digest, count);
}

static long operate(struct avl *tree, struct run *run, int key) {
    int near;
    switch (run_below(run, 5)) {
    case 0:
        return -avl_remove(tree, key);
    case 1:
    case 2:
        return avl_ceiling(tree, key, &near) ? -avl_remove(tree, near) : 0;
    default:
        return avl_insert(tree, key);
    }
}

int main(int argc, char **argv) {
    struct run run = run_from(argc, argv);
    struct avl *tree = avl_new();
    long range = 10 * run.nodes;
    long count = 0;
    long found = 0;
    long counted = 0;
    unsigned digest;
    while (count < run.nodes)
        count += avl_insert(tree, (int)run_below(&run, range));
    for (long i = 0; i < run.operations; i++) {
        int key = (int)run_below(&run, range);
        count += operate(tree, &run, key);
        found += avl_contains(tree, key);
    }
    digest = digest_below(tree->root, 0, &counted);
    printf("%ld %ld %ld %d %u\n", count, counted, found, height_of(tree->root), digest);
    return 0;
}
