// Relaxed accesses that only the processor's barriers order.
#include <stdatomic.h>
#define BARRIER __asm__ __volatile__("mfence" ::: "memory")
struct gate {
    atomic_int held;
};
void gate_lock(struct gate *g) {
    int zero = 0;
    while (!atomic_compare_exchange_strong_explicit(&g->held, &zero, 1, memory_order_relaxed,
                                                    memory_order_relaxed)) {
        zero = 0;
        __asm__ __volatile__("rep;nop\n\t" ::: "memory");
    }
    BARRIER;
}
void gate_unlock(struct gate *g) {
    BARRIER;
    atomic_store_explicit(&g->held, 0, memory_order_relaxed);
}
