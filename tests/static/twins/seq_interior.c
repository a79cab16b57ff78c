/* The cursor moves on; the block must be released by its start. */
#include "twin.h"
int scenario(int round)
{
    char *s = strdup("  indented");
    if (!s)
        return round;
    char *cursor = s;
    while (*cursor == ' ')
        cursor++;
    int r = *cursor;
#ifndef LEAK
    free(s);
#endif
    return r;
}
