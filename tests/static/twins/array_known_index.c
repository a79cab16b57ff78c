/* Three slots; the middle one is forgotten. */
#include "twin.h"
int scenario(int round)
{
    char *slot[3];
    slot[0] = malloc(1);
    slot[1] = malloc(2);
    slot[2] = malloc(3);
    free(slot[0]);
#ifndef LEAK
    free(slot[1]);
#endif
    free(slot[2]);
    return round;
}
