// The rest of a chunk that malloc has split is in a list of free chunks; its pointer is overwritten.
#include <stdlib.h>

#ifndef FAULT
#define FAULT 0
#endif

int main(void) {
    char *first = malloc(2000), *between = malloc(64), *second = malloc(3000), *last = malloc(64);
    free(first);
    free(second);
    char *part = malloc(800);
    part[0] = between[0] = last[0] = 1;
    if (FAULT)
        *(long *)(part + 816) = 0x1234; /* faulty */
    return 0;
}
