/* Michael and Scott's non-blocking queue, C11 atomics. Memory is not given back (see --reuse). */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *_Atomic next;
};

struct queue {
    struct node *_Atomic head;
    struct node *_Atomic tail;
};

void init(struct queue *q)
{
    struct node *dummy = malloc(sizeof *dummy);
    atomic_store(&dummy->next, NULL);
    atomic_store(&q->head, dummy);
    atomic_store(&q->tail, dummy);
}

void enqueue(struct queue *q, int value)
{
    struct node *node = malloc(sizeof *node);
    node->value = value;
    atomic_store(&node->next, NULL);
    for (;;) {
        struct node *tail = atomic_load(&q->tail);
        struct node *next = atomic_load(&tail->next);
        if (tail != atomic_load(&q->tail))
            continue;
        if (next == NULL) {
            struct node *expected = NULL;
            if (atomic_compare_exchange_strong(&tail->next, &expected, node)) {
                struct node *old = tail;
                atomic_compare_exchange_strong(&q->tail, &old, node);
                return;
            }
        } else {
            struct node *old = tail;
            atomic_compare_exchange_strong(&q->tail, &old, next);
        }
    }
}

bool dequeue(struct queue *q, int *value)
{
    for (;;) {
        struct node *head = atomic_load(&q->head);
        struct node *tail = atomic_load(&q->tail);
        struct node *next = atomic_load(&head->next);
        if (head != atomic_load(&q->head))
            continue;
        if (head == tail) {
            if (next == NULL)
                return false;
            struct node *old = tail;
            atomic_compare_exchange_strong(&q->tail, &old, next);
        } else {
            int result = next->value;
            struct node *old = head;
            if (atomic_compare_exchange_strong(&q->head, &old, next)) {
                *value = result;
                return true;
            }
        }
    }
}
