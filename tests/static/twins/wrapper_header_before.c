/* The allocator puts a header in front of what it returns. */
#include "twin.h"
struct header { size_t size; };
static void *sized_alloc(size_t n)
{
    struct header *h = malloc(sizeof *h + n);
    if (!h)
        return NULL;
    h->size = n;
    return h + 1;
}
static void sized_free(void *p)
{
    if (p)
        free((struct header *)p - 1);
}
int scenario(int round)
{
    char *p = sized_alloc(8);
    if (!p)
        return 0;
    p[0] = (char)round;
    int r = p[0];
#ifndef LEAK
    sized_free(p);
#endif
    return r;
}
