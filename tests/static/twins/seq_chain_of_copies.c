/* A pointer travels through several variables; only the last is released. */
#include "twin.h"
int scenario(int round)
{
    int *a = calloc(4, sizeof *a);
    int *b = a;
    int *c = b;
    if (!c)
        return 0;
    c[1] = round;
#ifdef LEAK
    a = b = c = NULL;
#else
    a = b = NULL;
#endif
    int r = c ? c[1] : 0;
    free(c);
    return r;
}
