/* A tagged union: text is owned, a number is not. */
#include "twin.h"
struct value { int is_text; union { char *text; long number; } u; };
static struct value make(int text)
{
    struct value v;
    v.is_text = text;
    if (text)
        v.u.text = strdup("text");
    else
        v.u.number = 7;
    return v;
}
static void drop(struct value *v)
{
#ifdef LEAK
    if (!v->is_text)
        v->u.number = 0;
#else
    if (v->is_text)
        free(v->u.text);
#endif
}
int scenario(int round)
{
    struct value v = make(1);
    int r = v.is_text + round;
    drop(&v);
    return r;
}
