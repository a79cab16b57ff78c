/* Writes beyond both ends of blocks of all sizes, where allocators keep what they must know, then
 * goes on allocating. Ends with 0 if no two live blocks share memory. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS 400

static unsigned char *blocks[BLOCKS];
static size_t sizes[BLOCKS];

static void *get(unsigned i) {
    size_t size = sizes[i] = (size_t)i * i % 9000 + (i % 50 == 0 ? 200000 : 0);
    void *block = NULL;
    if (i % 7 == 3)
        return posix_memalign(&block, (size_t)32 << i % 8, size) == 0 ? block : NULL;
    return i % 5 == 1 ? calloc(1, size) : malloc(size);
}

static int overlap(unsigned i, unsigned k) {
    return blocks[i] < blocks[k] + sizes[k] && blocks[k] < blocks[i] + sizes[i];
}

int main(void) {
    int spoiled = 0;
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < BLOCKS; i++)
            blocks[i] = get(i);
        for (unsigned i = 0; i < BLOCKS; i++) {
            if (i % 3 == 0)
                memset(blocks[i] + sizes[i], 0xff, 64); /* behind it */
            if (i % 3 == 1)
                memset(blocks[i] - 64, 0xff, 64); /* before it */
        }
        for (unsigned i = 0; i < BLOCKS; i++)
            for (unsigned k = 0; k < i; k++)
                spoiled += overlap(i, k);
        for (unsigned i = 0; i < BLOCKS; i += 2) {
            sizes[i] = sizes[i] * 3 / 2 + 1;
            blocks[i] = realloc(blocks[i], sizes[i]);
            memset(blocks[i], 0xee, sizes[i] + 64);
        }
        for (unsigned i = 0; i < BLOCKS; i++)
            free(blocks[i]);
    }
    printf("spoiled %d\n", spoiled);
    return spoiled != 0;
}
