/* A callee finds a number beside the pointer to be 0: it knows that there is no memory then. */
#include <stdlib.h>
#include <string.h>
struct buf { char *ptr; int asize, size; };
static char empty[1];
static void buf_init(struct buf *b) { b->ptr = empty; b->asize = 0; b->size = 0; }
static void buf_grow(struct buf *b, int n)
{
    if (n < b->asize)
        return;
    int size = n + n / 2 + 1;
    size = (size + 7) & ~7;
    b->ptr = realloc(b->asize ? b->ptr : NULL, size);
    if (!b->ptr)
        abort();
    b->asize = size;
}
static void buf_set(struct buf *b, const char *t, int n)
{
    if (n <= 0) {
        b->size = 0;
        return;
    }
    buf_grow(b, n + 1);
    memcpy(b->ptr, t, n);
    b->size = n;
}
static char *buf_detach(struct buf *b)
{
    char *data = b->ptr;
    if (b->asize == 0)
        return calloc(1, 1);
    buf_init(b);
    return data;
}
char *clean(const char *t, int n)
{
    struct buf b;
    buf_init(&b);
    buf_set(&b, t, n);
    return buf_detach(&b);
}
char *leak_clean(const char *t, int n)
{
    struct buf b;
    buf_init(&b);
    buf_set(&b, t, n);
    if (t[0])
        return 0; /* LEAK */
    return buf_detach(&b);
}
