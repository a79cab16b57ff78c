/* Two results through parameters; the caller keeps one. */
#include "twin.h"
static int split(const char *s, char **head, char **tail)
{
    const char *at = strchr(s, ':');
    if (!at)
        return -1;
    *head = strndup(s, (size_t)(at - s));
    *tail = strdup(at + 1);
    return 0;
}
int scenario(int round)
{
    char *h, *t;
    if (split("a:b", &h, &t))
        return 0;
    int r = (h ? h[0] : 0) + round;
    free(h);
#ifndef LEAK
    free(t);
#endif
    return r;
}
