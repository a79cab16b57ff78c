#include <stdatomic.h>
#include <stdbool.h>
struct spsc {
    _Atomic int full;
    _Atomic int value;
};
void spsc_init(struct spsc *q) {
    atomic_init(&q->full, 0);
    atomic_init(&q->value, 0);
}
void spsc_push(struct spsc *q, int v) {
    while (atomic_load(&q->full)) {
    }
    atomic_store(&q->value, v);
    atomic_store(&q->full, 1);
}
int spsc_pop(struct spsc *q) {
    if (!atomic_load(&q->full))
        return -1;
    int v = atomic_load(&q->value);
    atomic_store(&q->full, 0);
    return v;
}
