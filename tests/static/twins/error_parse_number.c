/* A validation in the middle returns at once. */
#include "twin.h"
static int parse(const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        return -1;
    char *end;
    long n = strtol(copy, &end, 10);
    if (*end != '\0') {
#ifndef LEAK
        free(copy);
#endif
        return -1;
    }
    free(copy);
    return (int)n;
}
int scenario(int round)
{
    return parse("12") + parse("1x") + round;
}
