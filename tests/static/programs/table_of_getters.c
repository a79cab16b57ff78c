/* A table of functions says beside each of them what becomes of its result. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct values {
    char *borrowed, *text;
};
enum kind { OWNED, BORROWED };
struct entry {
    const char *name;
    enum kind kind;
    char *(*get)(struct values *);
};

static char *copied(struct values *values) {
    return strdup(values->text);
}

static char *lent(struct values *values) {
    return values->borrowed;
}

static const struct entry table[] = {
    {"one", OWNED, copied},
    {"two", BORROWED, lent},
    {"three", OWNED, copied},
    {"four", BORROWED, lent},
    {"five", OWNED, copied},
    {"six", BORROWED, lent},
    {"seven", OWNED, copied},
    {"eight", BORROWED, lent},
    {"nine", OWNED, copied},
    {"ten", BORROWED, lent},
    {"eleven", OWNED, copied},
    {"twelve", BORROWED, lent},
    {"thirteen", OWNED, copied},
    {"fourteen", BORROWED, lent},
    {"fifteen", OWNED, copied},
    {"sixteen", BORROWED, lent},
};

void show_all(struct values *values) {
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const struct entry *entry = &table[i];
        char *value = entry->get(values);
        if (!value)
            continue;
        puts(value);
        if (entry->kind == OWNED)
            free(value);
    }
}

void leak_all(struct values *values) {
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const struct entry *entry = &table[i];
        char *value = entry->get(values); /* LEAK */
        if (!value)
            continue;
        puts(value);
        if (entry->kind == BORROWED)
            puts(entry->name);
    }
} /* LEAK */
