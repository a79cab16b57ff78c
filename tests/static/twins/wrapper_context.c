/* A context with init and fini on a structure of the caller. */
#include "twin.h"
struct context { char *buffer; FILE *log; };
static int context_init(struct context *c)
{
    c->buffer = malloc(32);
    if (!c->buffer)
        return -1;
    c->log = fopen("/dev/null", "w");
    if (!c->log) {
        free(c->buffer);
        return -1;
    }
    return 0;
}
static void context_fini(struct context *c)
{
    fclose(c->log);
#ifndef LEAK
    free(c->buffer);
#endif
}
int scenario(int round)
{
    struct context c;
    if (context_init(&c) != 0)
        return 0;
    c.buffer[0] = (char)round;
    int r = c.buffer[0];
    context_fini(&c);
    return r;
}
