/* A table that its owner enlarges now and then: an element is put at an index nobody knows. */
#include <stdlib.h>

struct entry {
    struct entry *next;
    int key;
};

struct table {
    struct entry **slots;
    unsigned used, size;
    unsigned (*hash)(int);
};

static int enlarge(struct table *table) {
    struct entry **old = table->slots;
    unsigned size = table->size;
    table->slots = calloc(size * 2, sizeof *table->slots);
    if (!table->slots) {
        table->slots = old;
        return 0;
    }
    table->size = size * 2;
    for (unsigned i = 0; i < size; i++) {
        struct entry *at = old[i];
        while (at) {
            struct entry *next = at->next;
            unsigned index = table->hash(at->key) % table->size;
            at->next = table->slots[index];
            table->slots[index] = at;
            at = next;
        }
    }
    free(old);
    return 1;
}

int ok_insert(struct table *table, int key) {
    if (table->used * 3 / table->size > 0 && !enlarge(table))
        return 0;
    unsigned index = table->hash(key) % table->size;
    for (struct entry *at = table->slots[index]; at; at = at->next)
        if (at->key == key)
            return 1;
    struct entry *entry = malloc(sizeof *entry);
    if (!entry)
        return 0;
    entry->key = key;
    entry->next = table->slots[index];
    table->slots[index] = entry;
    table->used++;
    return 1;
}

int leak_insert(struct table *table, int key) {
    if (table->used * 3 / table->size > 0 && !enlarge(table))
        return 0;
    unsigned index = table->hash(key) % table->size;
    struct entry *entry = malloc(sizeof *entry);
    if (!entry)
        return 0;
    entry->key = key;
    for (struct entry *at = table->slots[index]; at; at = at->next)
        if (at->key == key)
            return 1; /* LEAK */
    entry->next = table->slots[index];
    table->slots[index] = entry;
    table->used++;
    return 1;
}
