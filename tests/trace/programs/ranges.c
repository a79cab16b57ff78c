/* Long ranged stores, and a block that takes the place of another with less in it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static unsigned char table[1000];
unsigned char *text;
uint32_t *again;

int main(void)
{
    for (unsigned i = 0; i < sizeof table; i++)
        table[i] = (unsigned char)(7 * i);
    text = malloc(sizeof table);
    memset(text, 0x5a, sizeof table);
    memcpy(text, table, sizeof table);

    uint64_t *words = malloc(64);
    for (unsigned i = 0; i < 8; i++)
        words[i] = (uint64_t)(uintptr_t)words;
    free(words);
    again = malloc(64);
    for (unsigned i = 0; i < 8; i++)
        again[2 * i] = i + 1;
    return 0;
}
