/* A destructor registered with the data, called at the end. */
#include "twin.h"
struct slot { void *data; void (*destroy)(void *); };
static void drop_text(void *p)
{
    free(p);
}
static void finish(struct slot *s)
{
    if (s->destroy)
        s->destroy(s->data);
    s->data = NULL;
}
int scenario(int round)
{
    struct slot s = { strdup("data"), NULL };
#ifndef LEAK
    s.destroy = drop_text;
#else
    (void)drop_text;
#endif
    int r = s.data ? *(char *)s.data : round;
    finish(&s);
    return r;
}
