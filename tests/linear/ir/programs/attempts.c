// A set that gives up after a number of attempts; a weak exchange may fail for no reason.
#include <stdatomic.h>
#include <stdbool.h>
struct bits {
    atomic_uint word;
};
bool bits_insert(struct bits *b, int k) {
    for (int i = 0; i < 20; ++i) {
        unsigned old = atomic_load(&b->word);
        if (old >> k & 1)
            return false;
        if (atomic_compare_exchange_weak(&b->word, &old, old | 1u << k))
            return true;
    }
    return false;
}
bool bits_remove(struct bits *b, int k) {
    return atomic_fetch_and(&b->word, ~(1u << k)) >> k & 1;
}
