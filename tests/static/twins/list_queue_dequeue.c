/* A queue whose dequeue hands over the message and drops the envelope. */
#include "twin.h"
struct envelope { char *message; struct envelope *next; };
struct queue { struct envelope *first, *last; };
static int enqueue(struct queue *q, const char *message)
{
    struct envelope *e = calloc(1, sizeof *e);
    if (!e)
        return -1;
    e->message = strdup(message);
    if (q->last)
        q->last->next = e;
    else
        q->first = e;
    q->last = e;
    return 0;
}
static char *dequeue(struct queue *q)
{
    struct envelope *e = q->first;
    if (!e)
        return NULL;
    char *message = e->message;
    q->first = e->next;
    if (!q->first)
        q->last = NULL;
    free(e);
    return message;
}
int scenario(int round)
{
    struct queue q = { NULL, NULL };
    enqueue(&q, "a");
    enqueue(&q, "b");
    char *m;
    while ((m = dequeue(&q)) != NULL) {
        round += m[0];
#ifndef LEAK
        free(m);
#endif
    }
    return round;
}
