// Blocks of many sizes come and go: chunks are split, merged and sorted into bins.
#include <stdlib.h>

#ifndef SEED
#define SEED 1
#endif

int main(void) {
    static char *blocks[64];
    unsigned seed = SEED;
    for (int i = 0; i < 2000; i++) {
        seed = seed * 1103515245 + 12345;
        unsigned at = seed >> 16 & 63, size = 24 + (seed >> 8 & 0xfff);
        free(blocks[at]);
        blocks[at] = i % 3 ? malloc(size) : NULL;
        if (blocks[at])
            blocks[at][0] = 1;
    }
    return 0;
}
