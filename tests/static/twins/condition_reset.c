/* The pointer is cleared under one condition and tested later. */
#include "twin.h"
int scenario(int round)
{
    char *p = malloc(4);
    char *keep = NULL;
    if (!p)
        return 0;
    if (round % 2) {
        keep = p;
        p = NULL;
    }
    int r = p != NULL;
#ifndef LEAK
    if (keep)
        free(keep);
#endif
    if (p)
        free(p);
    return r;
}
