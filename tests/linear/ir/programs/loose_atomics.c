#include <stdatomic.h>
#include <stdbool.h>
typedef struct {
    int held;
    unsigned long n;
} spin_t;
void spin_init(spin_t *l) {
    l->held = 0;
}
void spin_lock(spin_t *l) {
    int zero = 0;
    while (!atomic_compare_exchange_weak(&l->held, &zero, 1))
        zero = 0;
}
void spin_unlock(spin_t *l) {
    atomic_store(&l->held, 0);
}
