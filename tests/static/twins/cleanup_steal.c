/* What is returned is taken out of the variable that would be cleaned. */
#include "twin.h"
static void release(char **p)
{
    free(*p);
}
static char *make(void)
{
    __attribute__((cleanup(release))) char *p = malloc(4);
    if (!p)
        return NULL;
    p[0] = 'p';
    char *out = p;
    p = NULL;
    return out;
}
int scenario(int round)
{
    char *p = make();
    int r = p ? p[0] : round;
#ifndef LEAK
    free(p);
#endif
    return r;
}
