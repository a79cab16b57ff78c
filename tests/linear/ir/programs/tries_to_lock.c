#include <stdatomic.h>
#include <stdbool.h>
typedef struct {
    atomic_int held;
} spin_t;
void spin_init(spin_t *s) {
    atomic_init(&s->held, 0);
}
bool spin_acquire(spin_t *s) {
    int no = 0;
    return atomic_compare_exchange_strong(&s->held, &no, 1);
}
void spin_release(spin_t *s) {
    atomic_store(&s->held, 0);
}
