/* Many live nodes with a long past, for the queries: a search tree in random order, threaded
 * onto hash chains, whose subtrees are then rotated and whose counters move for as long as asked.
 * Not one of the paper's programs. */
#include "graph.h"

struct node {
    unsigned key;
    unsigned hits;
    struct node *left;
    struct node *right;
    struct node *chain;
    struct node *recent;
};

static struct node *root;
static struct node **chains;
static struct node *recent;

static struct node **slot_of(unsigned key)
{
    struct node **slot = &root;
    while (*slot && (*slot)->key != key)
        slot = key < (*slot)->key ? &(*slot)->left : &(*slot)->right;
    return slot;
}

static void insert(unsigned key, unsigned chain)
{
    struct node **slot = slot_of(key);
    if (*slot)
        return;
    struct node *node = must(calloc(1, sizeof *node));
    node->key = key;
    node->chain = chains[chain];
    chains[chain] = node;
    *slot = node;
}

/* Turns the edge between *slot and one child of it, drawn by the coin; the order of keys stays. */
static void rotate(struct node **slot, unsigned coin)
{
    struct node *upper = *slot;
    struct node *lower = !upper ? NULL : coin & 1 ? upper->left : upper->right;
    if (!lower)
        return;
    if (coin & 1) {
        upper->left = lower->right;
        lower->right = upper;
    } else {
        upper->right = lower->left;
        lower->left = upper;
    }
    *slot = lower;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: million NODES CHANGES\n");
        return 2;
    }
    unsigned nodes = (unsigned)strtoul(argv[1], NULL, 10);
    long changes = atol(argv[2]);
    unsigned long long seed = 1000003;
    chains = must(calloc(nodes, sizeof *chains));
    for (unsigned i = 0; i < nodes; i++)
        insert(next_random(&seed), i);
    for (long i = 0; i < changes; i++) {
        struct node *node = chains[next_random(&seed) % nodes];
        if (!node)
            continue;
        node->hits++;
        node->recent = recent;
        recent = node;
        rotate(next_random(&seed) & 1 ? &node->left : &node->right, next_random(&seed));
    }
    printf("%u\n", recent ? recent->key : 0);
    return 0;
}
