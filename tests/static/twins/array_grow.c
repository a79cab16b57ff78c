/* A growing vector of strings. */
#include "twin.h"
struct vector { char **item; size_t count, room; };
static int add(struct vector *v, const char *s)
{
    if (v->count == v->room) {
        size_t room = v->room ? 2 * v->room : 2;
        char **bigger = realloc(v->item, room * sizeof *bigger);
        if (!bigger)
            return -1;
        v->item = bigger;
        v->room = room;
    }
    v->item[v->count] = strdup(s);
    if (!v->item[v->count])
        return -1;
    v->count++;
    return 0;
}
static void clear(struct vector *v)
{
#ifndef LEAK
    for (size_t i = 0; i < v->count; i++)
        free(v->item[i]);
#endif
    free(v->item);
    v->item = NULL;
    v->count = v->room = 0;
}
int scenario(int round)
{
    struct vector v = { NULL, 0, 0 };
    for (int i = 0; i < 5; i++)
        if (add(&v, "word"))
            break;
    int n = (int)v.count + round;
    clear(&v);
    return n;
}
