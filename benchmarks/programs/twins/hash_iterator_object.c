/* The iterator over the table is an object of its own and is left behind by the early exit. */
#include <stdio.h>
#include <stdlib.h>

struct table {
    int slot[8];
};
struct iterator {
    const struct table *table;
    int at;
};

static struct iterator *iterate(const struct table *t) {
    struct iterator *i = malloc(sizeof *i);
    if (i)
        *i = (struct iterator){t, 0};
    return i;
}

static int next(struct iterator *i, int *value) {
    while (i->at < 8) {
        *value = i->table->slot[i->at++];
        if (*value)
            return 1;
    }
    return 0;
}

static int any_above(const struct table *t, int limit) {
    struct iterator *i = iterate(t);
    int value, found = 0;
    while (i && next(i, &value))
        if (value > limit) {
#ifdef LEAK
            return 1;
#else
            found = 1;
            break;
#endif
        }
    free(i);
    return found;
}

int main(void) {
    struct table t = {{0, 5, 0, 9, 0, 0, 2, 0}};
    printf("%d %d\n", any_above(&t, 8), any_above(&t, 9));
    return 0;
}
