/* A block is published in a global in the good twin, and only counted in the other. */
#include "twin.h"
static char *kept[8];
static int used;
static void publish(char *p)
{
#ifdef LEAK
    used += p != NULL;
#else
    if (used < 8)
        kept[used++] = p;
    else
        free(p);
#endif
}
int scenario(int round)
{
    publish(malloc(8));
    return used + round + (kept[0] != NULL);
}
