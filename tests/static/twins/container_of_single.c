/* A handle to the middle of an object goes out and comes back. */
#include "twin.h"
struct handle { int n; };
struct object { char *name; struct handle handle; };
static struct handle *object_open(void)
{
    struct object *o = malloc(sizeof *o);
    if (!o)
        return NULL;
    o->name = strdup("object");
    o->handle.n = 1;
    return &o->handle;
}
static void object_close(struct handle *h)
{
    struct object *o = (struct object *)((char *)h - offsetof(struct object, handle));
#ifndef LEAK
    free(o->name);
#endif
    free(o);
}
int scenario(int round)
{
    struct handle *h = object_open();
    if (!h)
        return 0;
    int r = h->n + round;
    object_close(h);
    return r;
}
