/* A setting kept in a global is set again. */
#include "twin.h"
static char *title;
static void set_title(const char *s)
{
#ifndef LEAK
    free(title);
#endif
    title = strdup(s);
}
int scenario(int round)
{
    set_title(round % 2 ? "odd" : "even");
    return title ? title[0] : 0;
}
