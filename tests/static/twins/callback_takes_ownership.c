/* A walker calls back with each item; the callback owns it. */
#include "twin.h"
typedef void visit(char *item, void *data);
static void each(int n, visit *f, void *data)
{
    for (int i = 0; i < n; i++) {
        char *item = malloc(4);
        if (item) {
            item[0] = (char)i;
            f(item, data);
        }
    }
}
static void count(char *item, void *data)
{
    *(int *)data += item[0];
#ifndef LEAK
    free(item);
#endif
}
int scenario(int round)
{
    int sum = round;
    each(3, count, &sum);
    return sum;
}
