/* A bounded queue whose calls wait for their turn, and count how often they looked. */
#include <stdatomic.h>
#include <sched.h>
#define SIZE 2
struct cell { atomic_uint turn; int value; };
struct queue { atomic_uint put, got; struct cell cells[SIZE]; };

static void wait_for(atomic_uint *turn, unsigned wanted) {
    for (int spins = 1; atomic_load_explicit(turn, memory_order_acquire) != wanted; spins++)
        if (spins % 1024 == 0)
            sched_yield();
}

void queue_put(struct queue *q, int value) {
    unsigned ticket = atomic_fetch_add(&q->put, 1);
    struct cell *cell = &q->cells[ticket % SIZE];
    wait_for(&cell->turn, ticket / SIZE * 2);
    cell->value = value;
    atomic_store_explicit(&cell->turn, ticket / SIZE * 2 + 1, memory_order_release);
}

int queue_get(struct queue *q) {
    unsigned ticket = atomic_fetch_add(&q->got, 1);
    struct cell *cell = &q->cells[ticket % SIZE];
    wait_for(&cell->turn, ticket / SIZE * 2 + 1);
    int value = cell->value;
    atomic_store_explicit(&cell->turn, ticket / SIZE * 2 + 2, memory_order_release);
    return value;
}
