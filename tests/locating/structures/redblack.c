/* Red-black tree with parent pointers: the root is black, a red node has black children, and all
   ways down from a node pass the same number of black nodes. Missing children count as black. */
#include "driver.h"

enum colour { RED, BLACK };

struct rb_node {
    int key;
    enum colour colour;
    struct rb_node *left;
    struct rb_node *right;
    struct rb_node *parent;
};

struct rb_tree {
    struct rb_node *root;
};

static struct rb_tree *rb_new(void) {
    struct rb_tree *tree = malloc(sizeof *tree);
    must_have(tree != NULL);
    tree->root = NULL;
    return tree;
}

static struct rb_node *rb_node_new(int key, struct rb_node *parent) {
    struct rb_node *node = malloc(sizeof *node);
    must_have(node != NULL);
    node->key = key;
    node->colour = RED;
    node->left = NULL;
    node->right = NULL;
    node->parent = parent;
    return node;
}

static int is_red(const struct rb_node *node) {
    return node && node->colour == RED;
}

static struct rb_node *rb_find(const struct rb_tree *tree, int key) {
    struct rb_node *node = tree->root;
    while (node && node->key != key)
        node = key < node->key ? node->left : node->right;
    return node;
}

static struct rb_node *rb_least(struct rb_node *node) {
    while (node && node->left)
        node = node->left;
    return node;
}

static struct rb_node *rb_next(struct rb_node *node) {
    if (node->right)
        return rb_least(node->right);
    while (node->parent && node == node->parent->right)
        node = node->parent;
    return node->parent;
}

/* The node with the least key that is not below the given one. */
static struct rb_node *rb_ceiling(const struct rb_tree *tree, int key) {
    struct rb_node *best = NULL;
    struct rb_node *node = tree->root;
    while (node) {
        if (node->key >= key) {
            best = node;
            node = node->left;
        } else {
            node = node->right;
        }
    }
    return best;
}

/* Lets another node, or nothing, stand where the first one stood below its parent. */
static void replace_child(struct rb_tree *tree, struct rb_node *old, struct rb_node *new) {
    if (!old->parent)
        tree->root = new;
    else if (old == old->parent->left)
        old->parent->left = new;
    else
        old->parent->right = new;
    if (new)
        new->parent = old->parent;
}

static void rotate_left(struct rb_tree *tree, struct rb_node *node) {
    struct rb_node *top = node->right;
    replace_child(tree, node, top);
    node->right = top->left;
    if (top->left)
        top->left->parent = node;
    top->left = node;
    node->parent = top;
}

static void rotate_right(struct rb_tree *tree, struct rb_node *node) {
    struct rb_node *top = node->left;
    replace_child(tree, node, top);
    node->left = top->right;
    if (top->right)
        top->right->parent = node;
    top->right = node;
    node->parent = top;
}

/* A red node was put below a red parent that is a left child. */
static struct rb_node *mend_left(struct rb_tree *tree, struct rb_node *node) {
    struct rb_node *parent = node->parent;
    struct rb_node *above = parent->parent;
    struct rb_node *uncle = above->right;
    if (is_red(uncle)) {
        parent->colour = BLACK;
        uncle->colour = BLACK;
        above->colour = RED;
        return above;
    }
    if (node == parent->right) {
        rotate_left(tree, parent);
        parent = node;
    }
    parent->colour = BLACK;
    above->colour = RED;
    rotate_right(tree, above);
    return parent;
}

/* The same for a parent that is a right child. */
static struct rb_node *mend_right(struct rb_tree *tree, struct rb_node *node) {
    struct rb_node *parent = node->parent;
    struct rb_node *above = parent->parent;
    struct rb_node *uncle = above->left;
    if (is_red(uncle)) {
        parent->colour = BLACK;
        uncle->colour = BLACK;
        above->colour = RED;
        return above;
    }
    if (node == parent->left) {
        rotate_right(tree, parent);
        parent = node;
    }
    parent->colour = BLACK;
    above->colour = RED;
    rotate_left(tree, above);
    return parent;
}

static void mend_insertion(struct rb_tree *tree, struct rb_node *node) {
    while (is_red(node->parent) && is_red(node)) {
        if (node->parent == node->parent->parent->left)
            node = mend_left(tree, node);
        else
            node = mend_right(tree, node);
    }
    tree->root->colour = BLACK;
}

static int rb_insert(struct rb_tree *tree, int key) {
    struct rb_node *parent = NULL;
    struct rb_node *node = tree->root;
    while (node && node->key != key) {
        parent = node;
        node = key < node->key ? node->left : node->right;
    }
    if (node)
        return 0;
    node = rb_node_new(key, parent);
    if (!parent)
        tree->root = node;
    else if (key < parent->key)
        parent->left = node;
    else
        parent->right = node;
    mend_insertion(tree, node);
    return 1;
}

/* The left side of parent is one black short. Gives back the node that is short now, or NULL when
   the tree is whole again. */
static struct rb_node *fill_left(struct rb_tree *tree, struct rb_node *parent) {
    struct rb_node *sibling = parent->right;
    if (is_red(sibling)) {
        sibling->colour = BLACK;
        parent->colour = RED;
        rotate_left(tree, parent);
        sibling = parent->right;
    }
    if (!is_red(sibling->left) && !is_red(sibling->right)) {
        sibling->colour = RED;
        return parent;
    }
    if (!is_red(sibling->right)) {
        sibling->left->colour = BLACK;
        sibling->colour = RED;
        rotate_right(tree, sibling);
        sibling = parent->right;
    }
    sibling->colour = parent->colour;
    parent->colour = BLACK;
    sibling->right->colour = BLACK;
    rotate_left(tree, parent);
    return NULL;
}

static struct rb_node *fill_right(struct rb_tree *tree, struct rb_node *parent) {
    struct rb_node *sibling = parent->left;
    if (is_red(sibling)) {
        sibling->colour = BLACK;
        parent->colour = RED;
        rotate_right(tree, parent);
        sibling = parent->left;
    }
    if (!is_red(sibling->left) && !is_red(sibling->right)) {
        sibling->colour = RED;
        return parent;
    }
    if (!is_red(sibling->left)) {
        sibling->right->colour = BLACK;
        sibling->colour = RED;
        rotate_left(tree, sibling);
        sibling = parent->left;
    }
    sibling->colour = parent->colour;
    parent->colour = BLACK;
    sibling->left->colour = BLACK;
    rotate_right(tree, parent);
    return NULL;
}

/* The tree at node, which may be empty, lacks one black on every way below parent. */
static void mend_removal(struct rb_tree *tree, struct rb_node *node, struct rb_node *parent) {
    while (parent && !is_red(node)) {
        if (node == parent->left)
            node = fill_left(tree, parent);
        else
            node = fill_right(tree, parent);
        if (!node)
            return;
        parent = node->parent;
    }
    if (node)
        node->colour = BLACK;
}

/* Puts the node with the next greater key, which has no left child, where node is. */
static void swap_in_next(struct rb_tree *tree, struct rb_node *node, struct rb_node *next) {
    if (next->parent != node) {
        replace_child(tree, next, next->right);
        next->right = node->right;
        next->right->parent = next;
    }
    replace_child(tree, node, next);
    next->left = node->left;
    next->left->parent = next;
    next->colour = node->colour;
}

static void rb_remove(struct rb_tree *tree, struct rb_node *node) {
    enum colour lost = node->colour;
    struct rb_node *parent = node->parent;
    struct rb_node *rest;
    if (node->left && node->right) {
        struct rb_node *next = rb_least(node->right);
        lost = next->colour;
        rest = next->right;
        parent = next->parent == node ? next : next->parent;
        swap_in_next(tree, node, next);
    } else {
        rest = node->left ? node->left : node->right;
        replace_child(tree, node, rest);
    }
    free(node);
    if (lost == BLACK)
        mend_removal(tree, rest, parent);
}

static int rb_remove_key(struct rb_tree *tree, int key) {
    struct rb_node *node = rb_find(tree, key);
    if (node)
        rb_remove(tree, node);
    return node != NULL;
}

/* Takes out every key in [low, high]. */
static long rb_remove_range(struct rb_tree *tree, int low, int high) {
    long removed = 0;
    struct rb_node *node = rb_ceiling(tree, low);
    while (node && node->key <= high) {
        rb_remove(tree, node);
        removed++;
        node = rb_ceiling(tree, low);
    }
    return removed;
}

static int black_height(const struct rb_tree *tree) {
    int height = 0;
    for (const struct rb_node *node = tree->root; node; node = node->left)
        height += !is_red(node);
    return height;
}

static unsigned rb_digest(const struct rb_tree *tree, long *count) {
    unsigned digest = 0;
    *count = 0;
    for (struct rb_node *node = rb_least(tree->root); node; node = rb_next(node)) {
        digest = digest * 31 + (unsigned)node->key;
        ++*count;
    }
    return digest;
}

static long operate(struct rb_tree *tree, struct run *run, long range) {
    int key = (int)run_below(run, range);
    struct rb_node *near = rb_ceiling(tree, key);
    switch (run_below(run, 8)) {
    case 0:
        return -rb_remove_range(tree, key, key + 20);
    case 1:
        return -rb_remove_key(tree, key);
    case 2:
    case 3:
        return near ? -rb_remove_key(tree, near->key) : 0;
    default:
        return rb_insert(tree, key);
    }
}

int main(int argc, char **argv) {
    struct run run = run_from(argc, argv);
    struct rb_tree *tree = rb_new();
    long range = 10 * run.nodes;
    long count = 0;
    long counted;
    unsigned digest;
    while (count < run.nodes)
        count += rb_insert(tree, (int)run_below(&run, range));
    for (long i = 0; i < run.operations; i++)
        count += operate(tree, &run, range);
    digest = rb_digest(tree, &counted);
    printf("%ld %ld %d %u\n", count, counted, black_height(tree), digest);
    return 0;
}
