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
    {"first_one", OWNED, copied},
    {"first_two", BORROWED, lent},
    {"first_three", OWNED, copied},
    {"first_four", BORROWED, lent},
    {"first_five", OWNED, copied},
    {"first_six", BORROWED, lent},
    {"first_seven", OWNED, copied},
    {"first_eight", BORROWED, lent},
    {"first_nine", OWNED, copied},
    {"first_ten", BORROWED, lent},
    {"second_one", OWNED, copied},
    {"second_two", BORROWED, lent},
    {"second_three", OWNED, copied},
    {"second_four", BORROWED, lent},
    {"second_five", OWNED, copied},
    {"second_six", BORROWED, lent},
    {"second_seven", OWNED, copied},
    {"second_eight", BORROWED, lent},
    {"second_nine", OWNED, copied},
    {"second_ten", BORROWED, lent},
    {"third_one", OWNED, copied},
    {"third_two", BORROWED, lent},
    {"third_three", OWNED, copied},
    {"third_four", BORROWED, lent},
    {"third_five", OWNED, copied},
    {"third_six", BORROWED, lent},
    {"third_seven", OWNED, copied},
    {"third_eight", BORROWED, lent},
    {"third_nine", OWNED, copied},
    {"third_ten", BORROWED, lent},
    {"fourth_one", OWNED, copied},
    {"fourth_two", BORROWED, lent},
    {"fourth_three", OWNED, copied},
    {"fourth_four", BORROWED, lent},
    {"fourth_five", OWNED, copied},
    {"fourth_six", BORROWED, lent},
    {"fourth_seven", OWNED, copied},
    {"fourth_eight", BORROWED, lent},
    {"fourth_nine", OWNED, copied},
    {"fourth_ten", BORROWED, lent},
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
