/* A pointer that leads nowhere, and the crash long after it. */
#include <stdlib.h>

struct entry {
    struct entry *next;
    int key;
};

static struct entry *table[4];

static void put(int key) {
    struct entry *entry = malloc(sizeof *entry);
    entry->key = key;
    entry->next = table[key % 4];
    table[key % 4] = entry;
}
static void mark(int key) {
    struct entry *entry = table[key % 4];
    if (FAULT)
        entry->next = (struct entry *)0x30; /* faulty */
}

int main(void) {
    int sum = 0;
    for (int i = 0; i < 9; i++)
        put(i);
    mark(5);
    put(10);
    for (struct entry *entry = table[1]; entry; entry = entry->next)
        sum += entry->key;
    return sum & 0;
}
