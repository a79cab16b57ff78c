/* An object with its own destructor, made in another file. */
#include "twin.h"
struct shape { void (*drop)(struct shape *); double *points; };
struct shape *polygon(int n);
int scenario(int round)
{
    struct shape *s = polygon(3);
    if (!s)
        return 0;
    int r = s->points ? (int)s->points[0] + round : 0;
    s->drop(s);
    return r;
}
