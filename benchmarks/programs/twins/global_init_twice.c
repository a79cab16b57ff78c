/* A second call of the initialisation overwrites the global table. */
#include <stdio.h>
#include <stdlib.h>

static unsigned *table;

static int table_init(void) {
#ifndef LEAK
    if (table)
        return 0;
#endif
    table = malloc(256 * sizeof *table);
    if (!table)
        return -1;
    for (unsigned i = 0; i < 256; i++)
        table[i] = i * 2654435761u;
    return 0;
}

static unsigned hash(const char *s) {
    if (table_init())
        return 0;
    unsigned h = 0;
    while (*s)
        h = (h << 1) ^ table[(unsigned char)*s++];
    return h;
}

int main(void) {
    printf("%d\n", hash("abc") == hash("abc"));
    free(table);
    table = NULL;
    return 0;
}
