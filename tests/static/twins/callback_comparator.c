/* qsort and bsearch borrow; the array stays ours. */
#include "twin.h"
static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}
int scenario(int round)
{
    int *v = malloc(4 * sizeof *v);
    if (!v)
        return 0;
    for (int i = 0; i < 4; i++)
        v[i] = (i * 7 + round) % 4;
    qsort(v, 4, sizeof *v, compare);
    int key = 2;
    int *hit = bsearch(&key, v, 4, sizeof *v, compare);
    int r = hit ? *hit : 0;
#ifndef LEAK
    free(v);
#endif
    return r;
}
