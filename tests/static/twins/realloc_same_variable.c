/* needs a failing allocation: p = realloc(p, n) loses the old block when it fails. */
#include "twin.h"
int scenario(int round)
{
    char *p = malloc(4);
    if (!p)
        return 0;
#ifdef LEAK
    p = realloc(p, 64);
    if (!p)
        return -1;
#else
    char *q = realloc(p, 64);
    if (!q) {
        free(p);
        return -1;
    }
    p = q;
#endif
    p[0] = (char)round;
    int r = p[0];
    free(p);
    return r;
}
