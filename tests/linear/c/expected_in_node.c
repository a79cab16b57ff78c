/* What is expected lies in the node that is not yet published. */
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

struct stack {
    struct node *_Atomic top;
};

void push(struct stack *s, int value) {
    struct node *node = malloc(sizeof *node);
    node->value = value;
    node->next = atomic_load(&s->top);
    while (!atomic_compare_exchange_weak(&s->top, &node->next, node))
        ;
}

int pop(struct stack *s) {
    for (;;) {
        struct node *old = atomic_load(&s->top);
        if (!old)
            return -1;
        if (atomic_compare_exchange_strong(&s->top, &old, old->next))
            return old->value;
    }
}
