/* B-tree of order three (2-3 tree): a node has one or two keys in ascending order and, unless it is
   a leaf, one child more than keys; all leaves are at one depth. Unused places are 0 and NULL. */
#include "driver.h"

enum { KEYS = 2, LEAST = 1 };

struct btree_node {
    int count;
    int key[KEYS];
    struct btree_node *child[KEYS + 1];
};

struct btree {
    struct btree_node *root;
};

/* What an insertion hands up when a node was split: the key between the two halves, and the right
   half. */
struct split {
    int key;
    struct btree_node *right;
};

static struct btree *btree_new(void) {
    struct btree *tree = malloc(sizeof *tree);
    must_have(tree != NULL);
    tree->root = NULL;
    return tree;
}

static struct btree_node *btree_node_new(void) {
    struct btree_node *node = malloc(sizeof *node);
    must_have(node != NULL);
    node->count = 0;
    for (int i = 0; i < KEYS; i++)
        node->key[i] = 0;
    for (int i = 0; i <= KEYS; i++)
        node->child[i] = NULL;
    return node;
}

static int is_leaf(const struct btree_node *node) {
    return node->child[0] == NULL;
}

/* The first place whose key is not below the given one. */
static int place_of(const struct btree_node *node, int key) {
    int place = 0;
    while (place < node->count && node->key[place] < key)
        place++;
    return place;
}

static int holds(const struct btree_node *node, int place, int key) {
    return place < node->count && node->key[place] == key;
}

static int btree_contains(const struct btree *tree, int key) {
    const struct btree_node *node = tree->root;
    while (node) {
        int place = place_of(node, key);
        if (holds(node, place, key))
            return 1;
        node = node->child[place];
    }
    return 0;
}

/* Opens a place for a key and the child to its right, in a node that has room. */
static void put(struct btree_node *node, int place, int key, struct btree_node *right) {
    for (int i = node->count; i > place; i--) {
        node->key[i] = node->key[i - 1];
        node->child[i + 1] = node->child[i];
    }
    node->key[place] = key;
    node->child[place + 1] = right;
    node->count++;
}

/* Closes the place of a key and of the child to its right. */
static void take(struct btree_node *node, int place) {
    node->count--;
    for (int i = place; i < node->count; i++) {
        node->key[i] = node->key[i + 1];
        node->child[i + 1] = node->child[i + 2];
    }
    node->key[node->count] = 0;
    node->child[node->count + 1] = NULL;
}

/* A full node and one more key become two nodes and a key between them. */
static struct split split_node(struct btree_node *node, int place, int key,
                               struct btree_node *child) {
    int keys[KEYS + 1];
    struct btree_node *children[KEYS + 2];
    struct btree_node *right = btree_node_new();
    int middle = (KEYS + 1) / 2;
    struct split split;
    children[0] = node->child[0];
    for (int i = 0, from = 0; i <= KEYS; i++) {
        keys[i] = i == place ? key : node->key[from];
        children[i + 1] = i == place ? child : node->child[from + 1];
        from += i != place;
    }
    node->count = middle;
    for (int i = 0; i < KEYS; i++) {
        node->key[i] = i < middle ? keys[i] : 0;
        node->child[i + 1] = i < middle ? children[i + 1] : NULL;
    }
    right->count = KEYS - middle;
    right->child[0] = children[middle + 1];
    for (int i = 0; i < right->count; i++) {
        right->key[i] = keys[middle + 1 + i];
        right->child[i + 1] = children[middle + 2 + i];
    }
    split.key = keys[middle];
    split.right = right;
    return split;
}

/* Inserts below a node; where that had to be split, *split says so by its right half. */
static int insert_below(struct btree_node *node, int key, struct split *split) {
    int place = place_of(node, key);
    struct split below = {key, NULL};
    split->right = NULL;
    if (holds(node, place, key))
        return 0;
    if (!is_leaf(node)) {
        int added = insert_below(node->child[place], key, &below);
        if (!below.right)
            return added;
    }
    if (node->count < KEYS)
        put(node, place, below.key, below.right);
    else
        *split = split_node(node, place, below.key, below.right);
    return 1;
}

static int btree_insert(struct btree *tree, int key) {
    struct split split;
    int added;
    if (!tree->root)
        tree->root = btree_node_new();
    added = insert_below(tree->root, key, &split);
    if (split.right) {
        struct btree_node *top = btree_node_new();
        top->child[0] = tree->root;
        put(top, 0, split.key, split.right);
        tree->root = top;
    }
    return added;
}

/* The child at a place takes a key from its left sibling, through the node above. */
static void borrow_left(struct btree_node *node, int place) {
    struct btree_node *child = node->child[place];
    struct btree_node *left = node->child[place - 1];
    struct btree_node *moved = left->child[left->count];
    put(child, 0, node->key[place - 1], child->child[0]);
    child->child[0] = moved;
    node->key[place - 1] = left->key[left->count - 1];
    take(left, left->count - 1);
}

static void borrow_right(struct btree_node *node, int place) {
    struct btree_node *child = node->child[place];
    struct btree_node *right = node->child[place + 1];
    struct btree_node *moved = right->child[0];
    put(child, child->count, node->key[place], moved);
    node->key[place] = right->key[0];
    right->child[0] = right->child[1];
    take(right, 0);
}

/* The children on both sides of a key become one, with that key between. */
static void join(struct btree_node *node, int place) {
    struct btree_node *left = node->child[place];
    struct btree_node *right = node->child[place + 1];
    put(left, left->count, node->key[place], right->child[0]);
    for (int i = 0; i < right->count; i++)
        put(left, left->count, right->key[i], right->child[i + 1]);
    take(node, place);
    free(right);
}

/* Mends a child that has too few keys. */
static void refill(struct btree_node *node, int place) {
    if (node->child[place]->count >= LEAST)
        return;
    if (place > 0 && node->child[place - 1]->count > LEAST)
        borrow_left(node, place);
    else if (place < node->count && node->child[place + 1]->count > LEAST)
        borrow_right(node, place);
    else
        join(node, place > 0 ? place - 1 : place);
}

static int take_greatest(struct btree_node *node) {
    int key;
    if (is_leaf(node)) {
        key = node->key[node->count - 1];
        take(node, node->count - 1);
        return key;
    }
    key = take_greatest(node->child[node->count]);
    refill(node, node->count);
    return key;
}

static int remove_below(struct btree_node *node, int key) {
    int place = place_of(node, key);
    int removed;
    if (is_leaf(node)) {
        if (!holds(node, place, key))
            return 0;
        take(node, place);
        return 1;
    }
    if (holds(node, place, key)) {
        node->key[place] = take_greatest(node->child[place]);
        removed = 1;
    } else {
        removed = remove_below(node->child[place], key);
    }
    refill(node, place);
    return removed;
}

static int btree_remove(struct btree *tree, int key) {
    struct btree_node *top = tree->root;
    int removed;
    if (!top)
        return 0;
    removed = remove_below(top, key);
    if (top->count == 0) {
        tree->root = top->child[0];
        free(top);
    }
    return removed;
}

/* The least key that is not below the given one. */
static int btree_ceiling(const struct btree *tree, int key, int *ceiling) {
    const struct btree_node *node = tree->root;
    int found = 0;
    while (node) {
        int place = place_of(node, key);
        if (place < node->count) {
            *ceiling = node->key[place];
            found = 1;
        }
        node = node->child[place];
    }
    return found;
}

static int btree_first(const struct btree *tree, int *key) {
    const struct btree_node *node = tree->root;
    if (!node)
        return 0;
    while (!is_leaf(node))
        node = node->child[0];
    *key = node->key[0];
    return 1;
}

static int btree_last(const struct btree *tree, int *key) {
    const struct btree_node *node = tree->root;
    if (!node)
        return 0;
    while (!is_leaf(node))
        node = node->child[node->count];
    *key = node->key[node->count - 1];
    return 1;
}

/* How many keys lie in [low, high]. */
static long count_range(const struct btree_node *node, int low, int high) {
    long keys = 0;
    if (!node)
        return 0;
    for (int i = 0; i <= node->count; i++) {
        int past_low = i == node->count || node->key[i] >= low;
        int before_high = i == 0 || node->key[i - 1] <= high;
        if (past_low && before_high)
            keys += count_range(node->child[i], low, high);
        if (i < node->count && node->key[i] >= low && node->key[i] <= high)
            keys++;
    }
    return keys;
}

struct census {
    long keys;
    long nodes;
    int depth;
    unsigned digest;
};

static void census_below(const struct btree_node *node, int depth, struct census *census) {
    if (!node)
        return;
    census->nodes++;
    census->keys += node->count;
    if (depth > census->depth)
        census->depth = depth;
    for (int i = 0; i <= node->count; i++) {
        census_below(node->child[i], depth + 1, census);
        if (i < node->count)
            census->digest = census->digest * 31 + (unsigned)node->key[i];
    }
}

static long build(struct btree *tree, struct run *run, long range) {
    long keys = 0;
    long inserted = 0;
    struct census census = {0, 0, 0, 0};
    while (census.nodes < run->nodes) {
        inserted = run->nodes / 10 + 1;
        while (inserted > 0) {
            int added = btree_insert(tree, (int)run_below(run, range));
            keys += added;
            inserted -= added;
        }
        census = (struct census){0, 0, 0, 0};
        census_below(tree->root, 0, &census);
    }
    return keys;
}

static long operate(struct btree *tree, struct run *run, long range) {
    int key = (int)run_below(run, range);
    int near;
    switch (run_below(run, 10)) {
    case 0:
        return btree_first(tree, &near) ? -btree_remove(tree, near) : 0;
    case 1:
        return btree_last(tree, &near) ? -btree_remove(tree, near) : 0;
    case 2:
        return count_range(tree->root, key, key + 100) < 0;
    case 3:
    case 4:
    case 5:
        return btree_ceiling(tree, key, &near) ? -btree_remove(tree, near) : 0;
    default:
        return btree_insert(tree, key);
    }
}

int main(int argc, char **argv) {
    struct run run = run_from(argc, argv);
    struct btree *tree = btree_new();
    long range = 20 * run.nodes;
    long keys = build(tree, &run, range);
    long found = 0;
    struct census census = {0, 0, 0, 0};
    for (long i = 0; i < run.operations; i++) {
        keys += operate(tree, &run, range);
        found += btree_contains(tree, (int)run_below(&run, range));
    }
    census_below(tree->root, 0, &census);
    printf("%ld %ld %ld %ld %d %u\n", keys, census.keys, census.nodes, found, census.depth,
           census.digest);
    return 0;
}
