/* A stack whose pop returns the number and forgets the cell. */
#include "twin.h"
struct cell { int v; struct cell *below; };
struct stack { struct cell *top; };
static void push(struct stack *s, int v)
{
    struct cell *c = malloc(sizeof *c);
    if (!c)
        abort();
    c->v = v;
    c->below = s->top;
    s->top = c;
}
static int pop(struct stack *s)
{
    struct cell *c = s->top;
    int v = c->v;
    s->top = c->below;
#ifndef LEAK
    free(c);
#endif
    return v;
}
int scenario(int round)
{
    struct stack s = { NULL };
    push(&s, round);
    push(&s, 2);
    int r = pop(&s);
    r += pop(&s);
    return r;
}
