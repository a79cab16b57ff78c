/* A buffer that grows and stays: kept between calls in a static variable. */
#include "twin.h"
static char *scratch(size_t n)
{
    static char *buffer;
    static size_t size;
    if (n > size) {
#ifdef LEAK
        buffer = malloc(n);
#else
        free(buffer);
        buffer = malloc(n);
#endif
        size = buffer ? n : 0;
    }
    return buffer;
}
int scenario(int round)
{
    char *p = scratch((size_t)round * 10 + 1);
    if (p)
        p[0] = (char)round;
    return p ? p[0] : 0;
}
