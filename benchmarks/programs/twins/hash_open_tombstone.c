/* Deleting from the open table sets a tombstone over the key without releasing it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 8 };
static char tombstone[] = "";
static char *slot[SIZE];

static unsigned find(const char *key) {
    unsigned h = (unsigned char)key[0] % SIZE;
    while (slot[h] && (slot[h] == tombstone || strcmp(slot[h], key)))
        h = (h + 1) % SIZE;
    return h;
}

static void add(const char *key) {
    unsigned h = find(key);
    if (!slot[h])
        slot[h] = strdup(key);
}

static int delete (const char *key) {
    unsigned h = find(key);
    if (!slot[h])
        return 0;
#ifndef LEAK
    free(slot[h]);
#endif
    slot[h] = tombstone;
    return 1;
}

int main(void) {
    add("apple");
    add("avocado");
    add("pear");
    printf("%d %d\n", delete ("apple"), delete ("fig"));
    for (int i = 0; i < SIZE; i++) {
        if (slot[i] != tombstone)
            free(slot[i]);
        slot[i] = NULL;
    }
    return 0;
}
