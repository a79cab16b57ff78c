/* A cache of four slots; a slot in use is overwritten. */
#include "twin.h"
static void put(char **slot, const char *s)
{
#ifndef LEAK
    free(*slot);
#endif
    *slot = strdup(s);
}
int scenario(int round)
{
    char *cache[4] = { NULL, NULL, NULL, NULL };
    put(&cache[1], "first");
    put(&cache[1], "second");
    int r = cache[1] ? cache[1][0] : round;
    for (int i = 0; i < 4; i++)
        free(cache[i]);
    return r;
}
