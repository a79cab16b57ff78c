/* The attribute releases at every way out of the scope. */
#include "twin.h"
static void release(char **p)
{
    free(*p);
}
#ifdef LEAK
#define owned
#else
#define owned __attribute__((cleanup(release)))
#endif
int scenario(int round)
{
    owned char *a = strdup("a");
    if (!a)
        return 0;
    if (round % 2)
        return a[0];
    for (int i = 0; i < 2; i++) {
        owned char *b = strdup("b");
        if (b && b[0] == 'c')
            break;
    }
    release(&(char *){ NULL });
    return round;
}
