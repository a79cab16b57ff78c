/* A search breaks off when it has found; the candidate is then the caller's. */
#include "twin.h"
static char *find(int wanted)
{
    char *found = NULL;
    for (int i = 0; i < 8; i++) {
        char *candidate = malloc(4);
        if (!candidate)
            return NULL;
        candidate[0] = (char)i;
        if (i == wanted) {
            found = candidate;
            break;
        }
        free(candidate);
    }
    return found;
}
int scenario(int round)
{
    char *c = find(round);
    if (!c)
        return 0;
    int r = c[0];
#ifndef LEAK
    free(c);
#endif
    return r;
}
