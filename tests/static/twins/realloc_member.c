/* A buffer in a structure grows; the owner is dropped without it. */
#include "twin.h"
struct buffer { char *data; size_t used, size; };
static int put(struct buffer *b, char c)
{
    if (b->used == b->size) {
        char *more = realloc(b->data, b->size + 8);
        if (!more)
            return -1;
        b->data = more;
        b->size += 8;
    }
    b->data[b->used++] = c;
    return 0;
}
int scenario(int round)
{
    struct buffer *b = calloc(1, sizeof *b);
    if (!b)
        return 0;
    for (int i = 0; i < 20; i++)
        if (put(b, (char)i))
            break;
    int r = (int)b->used + round;
#ifndef LEAK
    free(b->data);
#endif
    free(b);
    return r;
}
