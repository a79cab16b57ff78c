/* needs a failing allocation: half an array was built and has to be taken down again. */
#include "twin.h"
static char **build(size_t n)
{
    char **v = calloc(n, sizeof *v);
    if (!v)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        v[i] = strdup("x");
        if (!v[i]) {
#ifndef LEAK
            while (i > 0)
                free(v[--i]);
#endif
            free(v);
            return NULL;
        }
    }
    return v;
}
int scenario(int round)
{
    char **v = build(3);
    if (!v)
        return 0;
    for (int i = 0; i < 3; i++)
        free(v[i]);
    free(v);
    return round;
}
