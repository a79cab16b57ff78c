/* Makers in an array, chosen by a number; what they return is the caller's. */
#include "twin.h"
typedef char *maker(void);
static char *small(void)
{
    return calloc(1, 4);
}
static char *large(void)
{
    return calloc(1, 400);
}
static maker *const makers[] = { small, large };
int scenario(int round)
{
    char *p = makers[round % 2]();
    int r = p ? p[0] : 0;
#ifndef LEAK
    free(p);
#endif
    return r;
}
