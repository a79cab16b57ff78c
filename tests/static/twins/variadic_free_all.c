/* A variadic release that ends at NULL. */
#include "twin.h"
static void free_all(void *first, ...)
{
    va_list rest;
    va_start(rest, first);
    for (void *p = first; p; p = va_arg(rest, void *))
        free(p);
    va_end(rest);
}
int scenario(int round)
{
    char *a = strdup("a"), *b = strdup("b");
    if (!a || !b) {
        free(a);
        free(b);
        return 0;
    }
    int r = a[0] + b[0] + round;
#ifdef LEAK
    free(a);
    (void)free_all;
#else
    free_all(a, b, NULL);
#endif
    return r;
}
