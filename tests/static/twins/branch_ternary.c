/* The argument is either borrowed or copied; only the copy is ours. */
#include "twin.h"
int scenario(int round)
{
    const char *given = round % 2 ? "given" : NULL;
    char *copy = given ? NULL : strdup("default");
    const char *text = given ? given : copy;
    int r = text ? (int)strlen(text) : 0;
#ifdef LEAK
    if (given)
        free(copy);
#else
    if (!given)
        free(copy);
#endif
    return r;
}
