/* A callee reports success by 0; the caller must release only then. */
#include "twin.h"
static int load(int fail, char **result)
{
    if (fail)
        return -1;
    *result = strdup("loaded");
    return *result ? 0 : -1;
}
int scenario(int round)
{
    char *text;
    if (load(round % 2, &text) != 0)
        return 0;
    int r = text[0];
    if (r == 'l') {
#ifdef LEAK
        return 3;
#else
        free(text);
        return 3;
#endif
    }
    free(text);
    return r;
}
