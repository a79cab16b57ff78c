/* Values of conditional expressions and of && and || outlive the ways that made them. */
#include <stdlib.h>
#include <string.h>

static void *grow(void *p, long size)
{
    void *q = size <= 1L << 40 ? realloc(p, size ? size : 1) : NULL;
    if (!q)
        abort();
    return q;
}

char *good_wrapper_of_realloc(long n)
{
    char *p = malloc(8);
    if (!p)
        return NULL;
    p = grow(p, n);
    return p;
}

int good_flag(int a, int b)
{
    int both = a && b;
    char *p = both ? malloc(8) : NULL;
    if (both)
        free(p);
    return 0;
}

int leak_flag(int a, int b)
{
    int both = a && b;
    char *p = both ? malloc(8) : NULL;
    if (!both)
        free(p);
    return 0; /* LEAK */
}

void leak_overwritten_choice(int a)
{
    char *p = a ? strdup("a") : strdup("b");
    p = NULL; /* LEAK */
    (void)p;
}
