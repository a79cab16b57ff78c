/* The queue of Herlihy and Wing. What is taken must be released, too, or two that take do not see
   each other: that shows with seven calls. */
#include <stdatomic.h>
#include <stdbool.h>
#define MOST 8
#ifndef TAKEN
#define TAKEN memory_order_acq_rel
#endif
struct queue {
    atomic_int tail;
    atomic_uint items[MOST];
};
void queue_init(struct queue *q) {
    atomic_init(&q->tail, 0);
    for (int i = 0; i < MOST; i++)
        atomic_init(&q->items[i], 0);
}
void queue_enqueue(struct queue *q, unsigned value) {
    int at = atomic_fetch_add_explicit(&q->tail, 1, memory_order_release);
    atomic_store_explicit(&q->items[at], value, memory_order_release);
}
bool queue_dequeue(struct queue *q, unsigned *value) {
    for (;;) {
        int tail = atomic_load_explicit(&q->tail, memory_order_acquire);
        for (int i = 0; i < tail; i++) {
            if (atomic_load_explicit(&q->items[i], memory_order_acquire) == 0)
                continue;
            *value = atomic_exchange_explicit(&q->items[i], 0, TAKEN);
            if (*value)
                return true;
        }
    }
}
