// A doubly-linked list whose operations are inlined into their callers in optimised code, but for
// helpers in their middle. Between two helpers the list is not whole.
#include <stdlib.h>

struct node {
    int key;
    struct node *next, *prev;
};
struct list {
    struct node *head, *tail;
};

static struct list list;
volatile int rounds = 40;
static volatile int done;

#ifndef FAULT
#define FAULT -1 // no such key
#endif
#define APART __attribute__((noinline, noclone))

APART static void lead_to(struct node *a, struct node *b) {
    a->next = b;
}

APART static void lead_back(struct node *b, struct node *a) {
    b->prev = a;
}

static struct node *new_node(int key) {
    struct node *node = calloc(1, sizeof *node);
    node->key = key;
    return node;
}

// Writes the list itself, and has a helper in its middle.
static void append(struct list *l, int key) {
    struct node *node = new_node(key);
    if (!l->tail) {
        l->head = l->tail = node;
        return;
    }
    lead_to(l->tail, node);
    node->prev = key == FAULT ? l->head : l->tail; /* faulty */
    l->tail = node;
}

// Writes nothing itself, and calls one helper after the other.
static void join(struct node *a, struct node *b) {
    lead_to(a, b);
    lead_back(b, a);
}

// As join; what its four helpers leave is whole only after the last.
static void relink(struct node *a, struct node *b) {
    lead_to(a, NULL);
    lead_back(b, NULL);
    lead_to(a, b);
    lead_back(b, a);
}

APART static void prepend(struct list *l, int key) {
    struct node *node = new_node(key);
    join(node, l->head);
    l->head = node;
}

// Ends with a jump to a function that writes the list.
APART static void remove_second(struct list *l) {
    struct node *node = l->head->next, *after = node->next;
    free(node);
    join(l->head, after);
}

APART static void note(void) {
    done++;
}

int main(void) {
    for (int i = 0; i < rounds; i++) {
        append(&list, i + 1);
        note();
    }
    for (int i = 0; i < rounds; i++) // nothing but the same calls, again and again
        append(&list, rounds + i);
    for (int i = 0; i < rounds; i++)
        relink(list.head, list.head->next);
    for (int i = 0; i < rounds; i++) {
        prepend(&list, -i);
        remove_second(&list);
        append(&list, i);
        relink(list.head->next, list.head->next->next);
    }
    return 0;
}
