/* Without an operation of its own the type falls back to nothing instead of free. */
#include <stdio.h>
#include <stdlib.h>

struct ops {
    const char *name;
    void (*dispose)(void *);
};

static void dispose_clear(void *p) {
    *(int *)p = 0;
    free(p);
}

static const struct ops types[] = {{"secret", dispose_clear}, {"plain", NULL}};

static void dispose(const struct ops *ops, void *p) {
    if (ops->dispose)
        ops->dispose(p);
#ifndef LEAK
    else
        free(p);
#endif
}

int main(void) {
    for (int i = 0; i < 2; i++) {
        int *value = malloc(sizeof *value);
        if (!value)
            continue;
        *value = i;
        printf("%s %d\n", types[i].name, *value);
        dispose(&types[i], value);
    }
    return 0;
}
