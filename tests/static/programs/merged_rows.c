/* Functions with more cases than a summary keeps apart: what they keep stays kept. */
#include <stdlib.h>
#include <string.h>

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

struct texts {
    char *ones, *twos, *threes, *fours, *fives, *sixes, *sevens, *others;
};

static void copy(struct texts *texts, int rank, const char *text, size_t length) {
    char *made = malloc(length);
    if (!made)
        exit(1);
    memcpy(made, text, length);
    switch (rank) {
    case 1: texts->ones = made; break;
    case 2: texts->twos = made; break;
    case 3: texts->threes = made; break;
    case 4: texts->fours = made; break;
    case 5: texts->fives = made; break;
    case 6: texts->sixes = made; break;
    case 7: texts->sevens = made; break;
    default: texts->others = made;
    }
}

void copied(struct texts *texts, int rank, const char *name) {
    char *text = strdup(name);
    if (!text)
        return;
    copy(texts, rank, text, strlen(text) + 1);
    free(text);
}

void leak_copied(struct texts *texts, int rank, const char *name) {
    char *text = strdup(name);
    if (!text)
        return;
    copy(texts, rank, text, strlen(text) + 1);
} /* LEAK */

static int import(char **to, char *const *from, int count, int kind) {
    if (kind < 3) {
        for (int i = 0; i < count; i++) {
            char *copy = kind == 1 ? strdup(from[i]) : malloc(8);
            if (!copy) {
                while (--i >= 0)
                    free(to[i]);
                return 0;
            }
            to[i] = copy;
        }
    } else {
        memcpy(to, from, count * sizeof *to);
    }
    return 1;
}

char **imported(char *const *from, int count, int kind) {
    char **table = calloc(count, sizeof *table);
    if (!table)
        return NULL;
    if (!import(table, from, count, kind)) {
        free(table);
        return NULL;
    }
    return table;
}
