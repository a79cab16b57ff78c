/* Records by value in one block, each with a name of its own. */
#include "twin.h"
struct record { int id; char *name; };
int scenario(int round)
{
    size_t count = 3;
    struct record *all = calloc(count, sizeof *all);
    if (!all)
        return 0;
    for (size_t i = 0; i < count; i++) {
        all[i].id = (int)i;
        all[i].name = strdup("name");
    }
    int r = all[0].id + round;
#ifndef LEAK
    for (size_t i = 0; i < count; i++)
        free(all[i].name);
#endif
    free(all);
    return r;
}
