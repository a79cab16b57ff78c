/* A plugin with a single block. */
#include "plugin.h"
#include <stdlib.h>

static void *create(int size) {
    int *count = malloc(sizeof *count);
    if (count)
        *count = size;
    return count;
}

static int run(void *state) {
    return ++*(int *)state;
}

const struct plugin counter_plugin = {"counter", create, run, free};
