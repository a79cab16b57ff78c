/* Two resources under two conditions, released under the same ones. */
#include "twin.h"
int scenario(int round)
{
    int want_a = round & 1, want_b = round & 2;
    char *a = NULL, *b = NULL;
    if (want_a)
        a = malloc(4);
    if (want_b)
        b = malloc(5);
    int r = (a != NULL) + (b != NULL);
    if (want_a)
        free(a);
#ifdef LEAK
    if (want_a && want_b)
        free(b);
#else
    if (want_b)
        free(b);
#endif
    return r;
}
