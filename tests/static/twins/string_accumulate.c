/* A string is extended by making a new one each time. */
#include "twin.h"
static char *plus(char *old, const char *more)
{
    char *s = malloc((old ? strlen(old) : 0) + strlen(more) + 1);
    if (!s)
        return old;
    strcpy(s, old ? old : "");
    strcat(s, more);
#ifndef LEAK
    free(old);
#endif
    return s;
}
int scenario(int round)
{
    char *s = NULL;
    for (int i = 0; i < 3; i++)
        s = plus(s, "ab");
    int r = s ? (int)strlen(s) : round;
    free(s);
    return r;
}
