/* A variadic string builder made of two vsnprintf. */
#include "twin.h"
static char *format(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (n < 0)
        return NULL;
    char *s = malloc((size_t)n + 1);
    if (!s)
        return NULL;
    va_start(args, fmt);
    vsnprintf(s, (size_t)n + 1, fmt, args);
    va_end(args);
    return s;
}
int scenario(int round)
{
    char *s = format("%d-%s", round, "x");
    int r = s ? s[0] : 0;
#ifndef LEAK
    free(s);
#endif
    return r;
}
