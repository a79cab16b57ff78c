/* needs a failing allocation: the second member cannot be had and the object is dropped. */
#include "twin.h"
struct session { char *user, *host; };
static void session_free(struct session *s)
{
    if (!s)
        return;
    free(s->user);
    free(s->host);
    free(s);
}
static struct session *session_new(void)
{
    struct session *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->user = strdup("me");
    s->host = strdup("here");
    if (!s->user || !s->host) {
#ifdef LEAK
        free(s);
#else
        session_free(s);
#endif
        return NULL;
    }
    return s;
}
int scenario(int round)
{
    struct session *s = session_new();
    session_free(s);
    return round;
}
