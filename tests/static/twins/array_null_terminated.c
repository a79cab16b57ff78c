/* An argument vector that ends with NULL. */
#include "twin.h"
static char **build(void)
{
    char **v = calloc(4, sizeof *v);
    if (!v)
        return NULL;
    v[0] = strdup("ls");
    v[1] = strdup("-l");
    return v;
}
int scenario(int round)
{
    char **v = build();
    if (!v)
        return 0;
    int n = round;
#ifdef LEAK
    for (char **p = v; *p; p++)
        n++;
#else
    for (char **p = v; *p; p++) {
        free(*p);
        n++;
    }
#endif
    free(v);
    return n;
}
