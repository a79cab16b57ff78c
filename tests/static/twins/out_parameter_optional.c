/* A result nobody asked for must not stay behind. */
#include "twin.h"
static int describe(int n, char **text)
{
    char *s = malloc(16);
    if (!s)
        return -1;
    snprintf(s, 16, "%d", n);
    int length = (int)strlen(s);
    if (text)
        *text = s;
#ifndef LEAK
    else
        free(s);
#endif
    return length;
}
int scenario(int round)
{
    char *text = NULL;
    int r = describe(round, &text) + describe(round, NULL);
    free(text);
    return r;
}
