/* Doubly-linked list with a handle that knows both ends; NULL ends it on either side. */
#include "driver.h"

struct dnode {
    int value;
    struct dnode *next;
    struct dnode *prev;
};

struct dlist {
    struct dnode *head;
    struct dnode *tail;
};

static struct dlist *dlist_new(void) {
    struct dlist *list = malloc(sizeof *list);
    must_have(list != NULL);
    list->head = NULL;
    list->tail = NULL;
    return list;
}

static struct dnode *dnode_new(int value) {
    struct dnode *node = malloc(sizeof *node);
    must_have(node != NULL);
    node->value = value;
    node->next = NULL;
    node->prev = NULL;
    return node;
}

/* Puts a node that is in no list before another; NULL stands for the end. */
static void dlist_link(struct dlist *list, struct dnode *node, struct dnode *after) {
    struct dnode *before = after ? after->prev : list->tail;
    node->next = after;
    node->prev = before;
    if (before)
        before->next = node;
    else
        list->head = node;
    if (after)
        after->prev = node;
    else
        list->tail = node;
}

static void dlist_unlink(struct dlist *list, struct dnode *node) {
    if (node->prev)
        node->prev->next = node->next;
    else
        list->head = node->next;
    if (node->next)
        node->next->prev = node->prev;
    else
        list->tail = node->prev;
    node->next = NULL;
    node->prev = NULL;
}

static void dlist_push_front(struct dlist *list, int value) {
    dlist_link(list, dnode_new(value), list->head);
}

static void dlist_push_back(struct dlist *list, int value) {
    dlist_link(list, dnode_new(value), NULL);
}

/* From whichever end is nearer. */
static struct dnode *dlist_at(const struct dlist *list, long position, long length) {
    struct dnode *node;
    if (position < length / 2) {
        for (node = list->head; node && position > 0; position--)
            node = node->next;
    } else {
        for (node = list->tail; node && position < length - 1; position++)
            node = node->prev;
    }
    return node;
}

static void dlist_insert_before(struct dlist *list, struct dnode *after, int value) {
    dlist_link(list, dnode_new(value), after);
}

static int dlist_remove(struct dlist *list, struct dnode *node) {
    if (!node)
        return 0;
    dlist_unlink(list, node);
    free(node);
    return 1;
}

static void dlist_move_to_front(struct dlist *list, struct dnode *node) {
    if (node && node != list->head) {
        dlist_unlink(list, node);
        dlist_link(list, node, list->head);
    }
}

/* Exchanges a node with the one behind it. */
static void dlist_swap_next(struct dlist *list, struct dnode *node) {
    struct dnode *next = node ? node->next : NULL;
    if (!next)
        return;
    node->next = next->next;
    next->prev = node->prev;
    if (node->next)
        node->next->prev = node;
    else
        list->tail = node;
    if (next->prev)
        next->prev->next = next;
    else
        list->head = next;
    next->next = node;
    node->prev = next;
}

static void dlist_reverse(struct dlist *list) {
    struct dnode *node = list->head;
    list->head = list->tail;
    list->tail = node;
    while (node) {
        struct dnode *next = node->next;
        node->next = node->prev;
        node->prev = next;
        node = next;
    }
}

static struct dnode *dlist_find(const struct dlist *list, int value) {
    struct dnode *node = list->head;
    while (node && node->value != value)
        node = node->next;
    return node;
}

static unsigned dlist_digest(const struct dlist *list, long *length) {
    unsigned digest = 0;
    *length = 0;
    for (const struct dnode *node = list->head; node; node = node->next) {
        digest = digest * 31 + (unsigned)node->value;
        ++*length;
    }
    for (const struct dnode *node = list->tail; node; node = node->prev)
        digest = digest * 37 + (unsigned)node->value;
    return digest;
}

int main(int argc, char **argv) {
    struct run run = run_from(argc, argv);
    struct dlist *list = dlist_new();
    long count = run.nodes;
    long length;
    unsigned digest;
    for (long i = 0; i < run.nodes; i++)
        dlist_push_back(list, (int)run_below(&run, 10 * run.nodes));
    for (long i = 0; i < run.operations; i++) {
        int value = (int)run_below(&run, 10 * run.nodes);
        struct dnode *node = dlist_at(list, run_below(&run, count), count);
        switch (run_below(&run, 10)) {
        case 0:
            dlist_push_front(list, value);
            count++;
            break;
        case 1:
            dlist_move_to_front(list, node);
            break;
        case 2:
        case 3:
            dlist_insert_before(list, node, value);
            count++;
            break;
        case 4:
            dlist_swap_next(list, node);
            break;
        case 5:
            count -= dlist_remove(list, dlist_find(list, value));
            break;
        case 6:
            if (i % 50 == 0)
                dlist_reverse(list);
            break;
        default:
            count -= dlist_remove(list, node);
        }
    }
    digest = dlist_digest(list, &length);
    printf("%ld %ld %u\n", count, length, digest);
    return 0;
}
