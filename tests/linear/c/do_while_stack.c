/* A weak exchange in the condition of the loop, a helper, a struct that only a typedef names. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct node {
    int value;
    struct node *next;
} node_t;

typedef struct {
    _Atomic(node_t *) top;
} stack;

static node_t *make(int value) {
    node_t *made = malloc(sizeof(node_t));
    if (made == NULL)
        abort();
    made->value = value;
    return made;
}

void push(stack *s, int value) {
    node_t *node = make(value);
    node_t *old = atomic_load(&s->top);
    do {
        node->next = old;
    } while (!atomic_compare_exchange_weak(&s->top, &old, node));
}

bool pop(stack *s, int *out) {
    node_t *old = atomic_load(&s->top);
    while (old != NULL && !atomic_compare_exchange_weak(&s->top, &old, old->next))
        ;
    if (!old)
        return false;
    *out = old->value;
    return true;
}
