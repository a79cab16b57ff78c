/* Ownership moves into a box; the good twin's box is dropped whole. */
#include "twin.h"
struct box { void *content; };
static struct box *box_of(void *content)
{
    struct box *b = malloc(sizeof *b);
    if (b)
        b->content = content;
    return b;
}
static void *unbox(struct box *b)
{
    void *content = b->content;
    free(b);
    return content;
}
int scenario(int round)
{
    struct box *b = box_of(NULL);
    if (!b)
        return 0;
    b->content = malloc(3);
#ifdef LEAK
    unbox(b);
#else
    free(unbox(b));
#endif
    return round;
}
