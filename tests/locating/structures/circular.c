/* Circular linked list. The ring knows its last node, whose next is the first, so that both ends
   are one step away; all positions are counted from the first node. */
#include "driver.h"

struct ring_node {
    int value;
    struct ring_node *next;
};

struct ring {
    struct ring_node *last;
};

static struct ring *ring_new(void) {
    struct ring *ring = malloc(sizeof *ring);
    must_have(ring != NULL);
    ring->last = NULL;
    return ring;
}

static struct ring_node *ring_first(const struct ring *ring) {
    return ring->last ? ring->last->next : NULL;
}

static long ring_length(const struct ring *ring) {
    const struct ring_node *node = ring->last;
    long length = 0;
    if (!node)
        return 0;
    do {
        length++;
        node = node->next;
    } while (node != ring->last);
    return length;
}

/* The node before the given position; position 0 comes after the last node. */
static struct ring_node *ring_before(const struct ring *ring, long position) {
    struct ring_node *node = ring->last;
    while (position-- > 0)
        node = node->next;
    return node;
}

static void ring_insert_first(struct ring *ring, int value) {
    struct ring_node *node = malloc(sizeof *node);
    must_have(node != NULL);
    node->value = value;
    if (ring->last) {
        node->next = ring->last->next;
        ring->last->next = node;
    } else {
        node->next = node;
        ring->last = node;
    }
}

static void ring_insert_last(struct ring *ring, int value) {
    ring_insert_first(ring, value);
    ring->last = ring->last->next;
}

static void ring_insert_at(struct ring *ring, long position, int value) {
    struct ring_node *before = ring_before(ring, position);
    struct ring_node *node;
    if (!before || before == ring->last) {
        ring_insert_first(ring, value);
        return;
    }
    node = malloc(sizeof *node);
    must_have(node != NULL);
    node->value = value;
    node->next = before->next;
    before->next = node;
}

static int ring_remove_at(struct ring *ring, long position, int *value) {
    struct ring_node *before = ring_before(ring, position);
    struct ring_node *node;
    if (!before)
        return 0;
    node = before->next;
    *value = node->value;
    if (node == before) {
        ring->last = NULL;
    } else {
        before->next = node->next;
        if (node == ring->last)
            ring->last = before;
    }
    free(node);
    return 1;
}

static void ring_rotate(struct ring *ring, long steps) {
    while (ring->last && steps-- > 0)
        ring->last = ring->last->next;
}

/* Moves the first node behind the node at the given position. */
static void ring_defer(struct ring *ring, long position) {
    struct ring_node *first = ring_first(ring);
    struct ring_node *before;
    if (!first || first == ring->last)
        return;
    before = ring_before(ring, position + 1);
    if (before == first || before == ring->last)
        return;
    ring->last->next = first->next;
    first->next = before->next;
    before->next = first;
}

static unsigned ring_digest(const struct ring *ring) {
    const struct ring_node *first = ring_first(ring);
    const struct ring_node *node = first;
    unsigned digest = 0;
    while (node) {
        digest = digest * 31 + (unsigned)node->value;
        node = node->next == first ? NULL : node->next;
    }
    return digest;
}

int main(int argc, char **argv) {
    struct run run = run_from(argc, argv);
    struct ring *ring = ring_new();
    long length;
    int value;
    for (long i = 0; i < run.nodes; i++)
        ring_insert_last(ring, (int)run_below(&run, 10 * run.nodes));
    length = run.nodes;
    for (long i = 0; i < run.operations; i++) {
        long position = run_below(&run, length);
        switch (run_below(&run, 6)) {
        case 0:
            ring_rotate(ring, position % 10);
            break;
        case 1:
            ring_defer(ring, position);
            break;
        case 2:
        case 3:
            ring_insert_at(ring, position, (int)run_below(&run, 10 * run.nodes));
            length++;
            break;
        default:
            length -= ring_remove_at(ring, position, &value);
        }
    }
    printf("%ld %ld %u\n", length, ring_length(ring), ring_digest(ring));
    return 0;
}
