/* A global variable with a value of its own, a choice without a branch, a switch. */
#include <stdatomic.h>
#include <stdbool.h>

static _Atomic int cell = 7;

void write(int value) {
    atomic_store(&cell, value);
}

int read(void) {
    int seen = atomic_load(&cell);
    return seen > 3 ? seen : 3;
}

bool cas(int old, int new) {
    switch (new) {
    case 1:
        return atomic_compare_exchange_strong(&cell, &old, 1);
    default:
        return atomic_compare_exchange_strong(&cell, &old, new);
    }
}
