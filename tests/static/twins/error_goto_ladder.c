/* The classic ladder of labels; one goto leads to the wrong rung. */
#include "twin.h"
int scenario(int round)
{
    int r = -1;
    char *a = malloc(1);
    if (!a)
        goto out;
    char *b = malloc(2);
    if (!b)
        goto free_a;
    if (round % 2)
#ifdef LEAK
        goto free_a;
#else
        goto free_b;
#endif
    b[0] = 1;
    r = b[0];
free_b:
    free(b);
free_a:
    free(a);
out:
    return r;
}
