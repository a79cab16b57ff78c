/* Leftist heap: the least key on top, and in each node the way down to a free place is never
   shorter on the left than on the right. That length is kept in the node: 0 where a child is
   missing. */
#include "driver.h"

struct leftist_node {
    int key;
    int npl; /* null path length */
    struct leftist_node *left;
    struct leftist_node *right;
};

struct leftist {
    struct leftist_node *root;
};

static struct leftist *leftist_new(void) {
    struct leftist *heap = malloc(sizeof *heap);
    must_have(heap != NULL);
    heap->root = NULL;
    return heap;
}

static struct leftist_node *leftist_node_new(int key) {
    struct leftist_node *node = malloc(sizeof *node);
    must_have(node != NULL);
    node->key = key;
    node->npl = 0;
    node->left = NULL;
    node->right = NULL;
    return node;
}

static int npl_of(const struct leftist_node *node) {
    return node ? node->npl : -1;
}

static void swap_children(struct leftist_node *node) {
    struct leftist_node *left = node->left;
    node->left = node->right;
    node->right = left;
}

/* Puts the shorter child on the right and writes the length down. */
static void settle(struct leftist_node *node) {
    if (npl_of(node->left) < npl_of(node->right))
        swap_children(node);
    node->npl = npl_of(node->right) + 1;
}

static struct leftist_node *merge(struct leftist_node *one, struct leftist_node *two) {
    if (!one)
        return two;
    if (!two)
        return one;
    if (two->key < one->key) {
        struct leftist_node *other = one;
        one = two;
        two = other;
    }
    one->right = merge(one->right, two);
    settle(one);
    return one;
}

static void leftist_push(struct leftist *heap, int key) {
    heap->root = merge(heap->root, leftist_node_new(key));
}

static int leftist_pop(struct leftist *heap, int *key) {
    struct leftist_node *top = heap->root;
    if (!top)
        return 0;
    *key = top->key;
    heap->root = merge(top->left, top->right);
    free(top);
    return 1;
}

static int leftist_peek(const struct leftist *heap, int *key) {
    if (heap->root)
        *key = heap->root->key;
    return heap->root != NULL;
}

/* Takes everything out of the other heap. */
static void leftist_meld(struct leftist *heap, struct leftist *other) {
    heap->root = merge(heap->root, other->root);
    other->root = NULL;
}

static long size_below(const struct leftist_node *node) {
    return node ? 1 + size_below(node->left) + size_below(node->right) : 0;
}

static int contains_below(const struct leftist_node *node, int key) {
    if (!node || node->key > key)
        return 0;
    return node->key == key || contains_below(node->left, key) || contains_below(node->right, key);
}

/* Takes one node with the key out of the tree below and settles the way back up; a node with a
   greater key has nothing to look for below it. */
static struct leftist_node *remove_below(struct leftist_node *node, int key, int *removed) {
    if (!node || node->key > key)
        return node;
    if (node->key == key) {
        struct leftist_node *rest = merge(node->left, node->right);
        free(node);
        *removed = 1;
        return rest;
    }
    node->left = remove_below(node->left, key, removed);
    if (!*removed)
        node->right = remove_below(node->right, key, removed);
    if (*removed)
        settle(node);
    return node;
}

static int leftist_remove(struct leftist *heap, int key) {
    int removed = 0;
    heap->root = remove_below(heap->root, key, &removed);
    return removed;
}

/* Cuts the first node with the key out of the tree and leaves it, alone, in *cut. */
static struct leftist_node *cut_below(struct leftist_node *node, int key,
                                      struct leftist_node **cut) {
    if (!node || node->key > key)
        return node;
    if (node->key == key) {
        struct leftist_node *rest = merge(node->left, node->right);
        node->left = NULL;
        node->right = NULL;
        node->npl = 0;
        *cut = node;
        return rest;
    }
    node->left = cut_below(node->left, key, cut);
    if (!*cut)
        node->right = cut_below(node->right, key, cut);
    if (*cut)
        settle(node);
    return node;
}

/* Gives one node another key. */
static int leftist_change(struct leftist *heap, int key, int to) {
    struct leftist_node *node = NULL;
    heap->root = cut_below(heap->root, key, &node);
    if (!node)
        return 0;
    node->key = to;
    heap->root = merge(heap->root, node);
    return 1;
}

/* Melds the heaps of an array two by two, which takes linear time in all. */
static void leftist_from(struct leftist *heap, const int *keys, long count) {
    struct leftist_node **queue = malloc((size_t)(2 * count + 1) * sizeof *queue);
    must_have(queue != NULL);
    long first = 0;
    long last = 0;
    for (long i = 0; i < count; i++)
        queue[last++] = leftist_node_new(keys[i]);
    while (last - first > 1) {
        queue[last++] = merge(queue[first], queue[first + 1]);
        first += 2;
    }
    heap->root = merge(heap->root, count ? queue[first] : NULL);
    free(queue);
}

static unsigned digest_below(const struct leftist_node *node) {
    if (!node)
        return 7;
    return (unsigned)node->key + 31 * digest_below(node->left) + 37 * digest_below(node->right);
}

/* Some key of the heap: a walk down that turns by the random source. */
static int some_key(const struct leftist *heap, struct run *run) {
    const struct leftist_node *node = heap->root;
    const struct leftist_node *next = node;
    while (next) {
        node = next;
        if (run_below(run, 6) == 0)
            break;
        next = run_below(run, 2) ? node->right : node->left;
    }
    return node ? node->key : 0;
}

static long meld_some(struct leftist *heap, struct run *run, long range) {
    struct leftist *other = leftist_new();
    long pushed = run_below(run, 4);
    for (long i = 0; i < pushed; i++)
        leftist_push(other, (int)run_below(run, range));
    leftist_meld(heap, other);
    free(other);
    return pushed;
}

static long operate(struct leftist *heap, struct run *run, long range) {
    int key = (int)run_below(run, range);
    switch (run_below(run, 8)) {
    case 0:
        return meld_some(heap, run, range);
    case 1:
        leftist_change(heap, some_key(heap, run), key);
        return 0;
    case 2:
        return -leftist_remove(heap, some_key(heap, run));
    case 3:
    case 4:
        return -leftist_pop(heap, &key);
    default:
        leftist_push(heap, key);
        return 1;
    }
}

int main(int argc, char **argv) {
    struct run run = run_from(argc, argv);
    struct leftist *heap = leftist_new();
    long range = 10 * run.nodes;
    int *keys = malloc((size_t)(run.nodes + 1) * sizeof *keys);
    must_have(keys != NULL);
    long count = run.nodes;
    long found = 0;
    int least = -1;
    for (long i = 0; i < run.nodes; i++)
        keys[i] = (int)run_below(&run, range);
    leftist_from(heap, keys, run.nodes);
    free(keys);
    for (long i = 0; i < run.operations; i++) {
        count += operate(heap, &run, range);
        found += contains_below(heap->root, (int)run_below(&run, range));
    }
    leftist_peek(heap, &least);
    printf("%ld %ld %ld %d %u\n", count, size_below(heap->root), found, least,
           digest_below(heap->root));
    return 0;
}
