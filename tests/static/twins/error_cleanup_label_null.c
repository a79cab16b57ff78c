/* One label frees everything; a pointer was cleared before it was handed over. */
#include "twin.h"
static char *join(const char *a, const char *b)
{
    char *result = NULL, *copy = strdup(a);
    if (!copy)
        goto end;
    result = malloc(strlen(a) + strlen(b) + 1);
    if (!result)
        goto end;
    strcpy(result, copy);
    strcat(result, b);
#ifdef LEAK
    copy = NULL;
#endif
end:
    free(copy);
    return result;
}
int scenario(int round)
{
    char *s = join("left", "right");
    int r = s ? s[0] : round;
    free(s);
    return r;
}
