/* A structure that owns memory is returned by value and dropped. */
#include "twin.h"
struct text { char *bytes; size_t length; };
static struct text text_of(const char *s)
{
    struct text t = { strdup(s), strlen(s) };
    return t;
}
static void text_drop(struct text *t)
{
    free(t->bytes);
    t->bytes = NULL;
}
int scenario(int round)
{
    struct text t = text_of("value");
    size_t n = t.length + (size_t)round;
#ifndef LEAK
    text_drop(&t);
#endif
    return (int)n;
}
