/* Each round of the loop allocates; only the last block is released. */
#include "twin.h"
int scenario(int round)
{
    char *p = NULL;
    for (int i = 0; i <= round % 3 + 1; i++) {
#ifndef LEAK
        free(p);
#endif
        p = malloc((size_t)i + 1);
    }
    free(p);
    return round;
}
