/* Shared text with a count of users. */
#include "twin.h"
struct shared { int users; char *text; };
static struct shared *shared_new(const char *text)
{
    struct shared *s = malloc(sizeof *s);
    if (!s)
        return NULL;
    s->users = 1;
    s->text = strdup(text);
    return s;
}
static void shared_unref(struct shared *s)
{
    if (s && --s->users == 0) {
#ifndef LEAK
        free(s->text);
#endif
        free(s);
    }
}
int scenario(int round)
{
    struct shared *s = shared_new("text");
    shared_unref(s);
    return round;
}
