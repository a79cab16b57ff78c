/* A lock whose waiting threads exchange again and again, with weak orders. */
#include <stdatomic.h>
struct gate {
    atomic_int held;
};
void gate_init(struct gate *g) { atomic_init(&g->held, 0); }
void gate_lock(struct gate *g) {
    while (atomic_exchange_explicit(&g->held, 1, memory_order_acquire))
        ;
}
void gate_unlock(struct gate *g) {
    atomic_store_explicit(&g->held, 0, memory_order_release);
}
