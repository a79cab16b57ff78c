/* Retry until it is good; a bad attempt must be dropped. */
#include "twin.h"
int scenario(int round)
{
    char *attempt;
    int tries = 0;
    do {
        attempt = malloc(8);
        if (!attempt)
            return -1;
        attempt[0] = (char)tries;
        if (tries < round % 3) {
#ifndef LEAK
            free(attempt);
#endif
            attempt = NULL;
        }
        tries++;
    } while (!attempt);
    free(attempt);
    return tries;
}
