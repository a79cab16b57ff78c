/* An allocator that dies instead of failing, and its own release. */
#include "twin.h"
static void *must(size_t n)
{
    void *p = calloc(1, n);
    if (!p) {
        fputs("out of memory\n", stderr);
        exit(2);
    }
    return p;
}
static void forget(void *pp)
{
    void **p = pp;
    free(*p);
    *p = NULL;
}
int scenario(int round)
{
    int *n = must(sizeof *n);
    *n = round;
    int r = *n;
#ifndef LEAK
    forget(&n);
#endif
    return r;
}
