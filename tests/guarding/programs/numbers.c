/* Blocks that only one variable refers to: what its type says decides whether it can. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct mixed {
    int first, second;
    void *kept;
};
union either {
    int halves[2];
    void *whole;
};

int ints[2];
double real;
enum { NONE } many[2];
struct {
    short parts[4];
} shorts;
struct mixed mixed[3];
union either either;
intptr_t integer;
char characters[8];
void *pointer;

#define KEEP(variable, size)                                                                       \
    do {                                                                                           \
        void *made = malloc(size);                                                                 \
        memcpy(variable, &made, 8);                                                                \
    } while (0)

/* Written by the size of the block: what is 100 or more cannot be kept by its variable. */
static __attribute__((noinline)) void work(void) {
    KEEP(ints, 101);
    KEEP(&real, 102);
    KEEP(many, 103);
    KEEP(&shorts, 104);
    KEEP(&mixed[1].first, 105);
    KEEP(&mixed[2].kept, 11);
    KEEP(&either, 12);
    KEEP(&integer, 13);
    KEEP(characters, 14);
    KEEP(&pointer, 15);
}

static __attribute__((noinline)) void wipe(void) {
    volatile char stack[4096];
    memset((void *)stack, 0, sizeof stack);
}

int main(void) {
    work();
    wipe();
    return 0;
}
