/* The first round expects a constant, later ones what the one before has seen. */
#include <stdatomic.h>

struct inner {
    _Atomic long value;
};

static struct outer {
    long unused;
    struct inner part;
} all;

long increment(void) {
    long old = 0;
    while (!atomic_compare_exchange_strong(&all.part.value, &old, old + 1))
        ;
    return old;
}

long decrement(void) {
    return atomic_fetch_sub(&all.part.value, 1);
}

long get(void) {
    return atomic_load(&all.part.value);
}
