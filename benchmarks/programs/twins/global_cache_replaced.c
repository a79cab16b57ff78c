/* The cached answer in a static variable is replaced without being released. */
#include <stdio.h>
#include <stdlib.h>

static char *cached;
static int cached_for = -1;

static const char *describe(int id) {
    if (id != cached_for) {
#ifndef LEAK
        free(cached);
#endif
        cached = malloc(24);
        if (!cached) {
            cached_for = -1;
            return "?";
        }
        snprintf(cached, 24, "object %d", id);
        cached_for = id;
    }
    return cached;
}

int main(void) {
    puts(describe(1));
    puts(describe(1));
    puts(describe(2));
    free(cached);
    cached = NULL;
    return 0;
}
