/* The low bit marks values that own their memory; it is cleared before the test. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

union word {
    uintptr_t bits;
    const char *borrowed;
};

static union word own(const char *s) {
    union word w;
    w.bits = (uintptr_t)strdup(s);
    if (w.bits)
        w.bits |= 1;
    return w;
}

static const char *text(union word w) {
    w.bits &= ~(uintptr_t)1;
    return w.borrowed;
}

static void drop(union word w) {
#ifdef LEAK
    w.bits &= ~(uintptr_t)1;
#endif
    if (w.bits & 1)
        free((void *)(w.bits & ~(uintptr_t)1));
}

static const _Alignas(8) char constant[] = "constant";

int main(void) {
    union word a = own("owned"), b = {.borrowed = constant};
    printf("%s %s\n", text(a) ? text(a) : "?", text(b));
    drop(a);
    drop(b);
    return 0;
}
