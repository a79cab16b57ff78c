#include <stdatomic.h>
typedef struct {
    atomic_uint next, now;
} tick_t;
void tick_init(tick_t *s) {
    atomic_init(&s->next, 0);
    atomic_init(&s->now, 0);
}
unsigned tick_lock(tick_t *s) {
    unsigned me = atomic_fetch_add(&s->next, 1);
    while (atomic_load(&s->now) != me)
        ;
    return me;
}
void tick_unlock(tick_t *s, unsigned me) {
    atomic_store(&s->now, me + 1);
}
