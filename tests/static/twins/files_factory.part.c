#include <stdlib.h>
struct shape { void (*drop)(struct shape *); double *points; };
static void polygon_drop(struct shape *s)
{
#ifndef LEAK
    free(s->points);
#endif
    free(s);
}
struct shape *polygon(int n)
{
    struct shape *s = malloc(sizeof *s);
    if (!s)
        return NULL;
    s->points = calloc((size_t)n, sizeof(double));
    s->drop = polygon_drop;
    return s;
}
