/* The buffer is allocated in every round and released once, after the loop. */
#include <stdio.h>
#include <stdlib.h>

static unsigned mix(unsigned seed, int rounds) {
    unsigned *state = NULL;
    for (int round = 0; round < rounds; round++) {
        state = malloc(4 * sizeof *state);
        if (!state)
            return 0;
        for (int i = 0; i < 4; i++)
            state[i] = seed = seed * 1664525u + 1013904223u;
        seed ^= state[round % 4];
#ifndef LEAK
        free(state);
        state = NULL;
#endif
    }
    free(state);
    return seed;
}

int main(void) {
    printf("%d\n", mix(1, 5) != mix(2, 5));
    return 0;
}
