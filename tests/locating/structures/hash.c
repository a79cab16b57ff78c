/* Hash table with chains. It grows to twice its size when there are as many entries as chains. */
#include "driver.h"

struct entry {
    unsigned key;
    int value;
    struct entry *next;
};

struct table {
    unsigned size; /* chains, a power of two */
    unsigned count;
    struct entry **chain;
};

static struct table *table_new(unsigned size) {
    struct table *table = malloc(sizeof *table);
    must_have(table != NULL);
    table->size = size;
    table->count = 0;
    table->chain = calloc(size, sizeof *table->chain);
    must_have(table->chain != NULL);
    return table;
}

static unsigned chain_of(const struct table *table, unsigned key) {
    return (key * 2654435761u >> 7) & (table->size - 1);
}

static struct entry *table_find(const struct table *table, unsigned key) {
    struct entry *entry = table->chain[chain_of(table, key)];
    while (entry && entry->key != key)
        entry = entry->next;
    return entry;
}

static void table_grow(struct table *table) {
    struct entry **old = table->chain;
    unsigned old_size = table->size;
    table->size = 2 * old_size;
    table->chain = calloc(table->size, sizeof *table->chain);
    must_have(table->chain != NULL);
    for (unsigned i = 0; i < old_size; i++) {
        while (old[i]) {
            struct entry *entry = old[i];
            unsigned chain = chain_of(table, entry->key);
            old[i] = entry->next;
            entry->next = table->chain[chain];
            table->chain[chain] = entry;
        }
    }
    free(old);
}

static int table_put(struct table *table, unsigned key, int value) {
    struct entry *entry = table_find(table, key);
    unsigned chain;
    if (entry) {
        entry->value = value;
        return 0;
    }
    if (table->count >= table->size)
        table_grow(table);
    chain = chain_of(table, key);
    entry = malloc(sizeof *entry);
    must_have(entry != NULL);
    entry->key = key;
    entry->value = value;
    entry->next = table->chain[chain];
    table->chain[chain] = entry;
    table->count++;
    return 1;
}

static int table_remove(struct table *table, unsigned key) {
    struct entry **link = &table->chain[chain_of(table, key)];
    struct entry *entry;
    while (*link && (*link)->key != key)
        link = &(*link)->next;
    entry = *link;
    if (!entry)
        return 0;
    *link = entry->next;
    free(entry);
    table->count--;
    return 1;
}

static unsigned table_digest(const struct table *table, long *count) {
    unsigned digest = 0;
    *count = 0;
    for (unsigned i = 0; i < table->size; i++) {
        for (const struct entry *entry = table->chain[i]; entry; entry = entry->next) {
            digest += entry->key * 31 + (unsigned)entry->value;
            ++*count;
        }
    }
    return digest;
}

int main(int argc, char **argv) {
    struct run run = run_from(argc, argv);
    struct table *table = table_new(16);
    long range = 2 * run.nodes;
    long count = 0;
    long counted;
    unsigned digest;
    while (count < run.nodes)
        count += table_put(table, (unsigned)run_below(&run, range), (int)count);
    for (long i = 0; i < run.operations; i++) {
        unsigned key = (unsigned)run_below(&run, range);
        if (run_below(&run, 2))
            count += table_put(table, key, (int)i);
        else
            count -= table_remove(table, key);
    }
    digest = table_digest(table, &counted);
    printf("%ld %ld %u\n", count, counted, digest);
    return 0;
}
