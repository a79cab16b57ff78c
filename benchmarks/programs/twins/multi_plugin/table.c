/* A plugin whose state has two parts; it registers plain free as its destructor. */
#include "plugin.h"
#include <stdlib.h>

struct table {
    int size;
    int *cell;
};

static void *create(int size) {
    struct table *t = malloc(sizeof *t);
    if (!t)
        return NULL;
    t->size = size;
    t->cell = calloc((size_t)size, sizeof *t->cell);
    if (!t->cell) {
        free(t);
        return NULL;
    }
    return t;
}

static int run(void *state) {
    struct table *t = state;
    return t->cell[t->size - 1] += t->size;
}

#ifdef LEAK
const struct plugin table_plugin = {"table", create, run, free};
#else
static void destroy(void *state) {
    struct table *t = state;
    free(t->cell);
    free(t);
}

const struct plugin table_plugin = {"table", create, run, destroy};
#endif
