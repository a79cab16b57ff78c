/* Operations in a constant table, as drivers have them. */
#include "twin.h"
struct operations { void *(*open)(void); void (*close)(void *); };
static void *plain_open(void)
{
    return malloc(16);
}
static void plain_close(void *p)
{
#ifdef LEAK
    p = NULL;
#endif
    free(p);
}
static const struct operations plain = { plain_open, plain_close };
int scenario(int round)
{
    const struct operations *ops = &plain;
    void *handle = ops->open();
    if (!handle)
        return 0;
    ops->close(handle);
    return round;
}
