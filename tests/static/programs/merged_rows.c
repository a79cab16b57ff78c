/* Functions with more cases than a summary keeps apart: what they keep stays kept. */
#include <stdlib.h>

struct entry {
    int rank;
};
struct table {
    struct entry *ones, *twos, *threes, *fours, *fives, *sixes, *sevens, *others;
};

static struct entry *put(struct table *table, struct entry *entry) {
    switch (entry->rank) {
    case 1: table->ones = entry; break;
    case 2: table->twos = entry; break;
    case 3: table->threes = entry; break;
    case 4: table->fours = entry; break;
    case 5: table->fives = entry; break;
    case 6: table->sixes = entry; break;
    case 7: table->sevens = entry; break;
    default: table->others = entry;
    }
    return entry;
}

int remembered(struct table *table, int rank) {
    struct entry *entry = calloc(1, sizeof *entry);
    if (!entry)
        return 1;
    entry->rank = rank;
    entry = put(table, entry);
    return entry->rank;
}

int leak_remembered(struct table *table, int rank) {
    struct entry *entry = calloc(1, sizeof *entry);
    if (!entry)
        return 1;
    entry->rank = rank;
    if (rank < 0)
        return 2; /* LEAK */
    entry = put(table, entry);
    return entry->rank;
}
