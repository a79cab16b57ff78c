/* The visitor gets a copy of each name and is expected to release it; one of them does not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void visitor(char *name, void *context);

static void each(const char *const *names, visitor *visit, void *context) {
    for (; *names; names++) {
        char *copy = strdup(*names);
        if (copy)
            visit(copy, context);
    }
}

static void show(char *name, void *context) {
    (void)context;
    puts(name);
    free(name);
}

static void measure(char *name, void *context) {
    *(size_t *)context += strlen(name);
#ifndef LEAK
    free(name);
#endif
}

int main(void) {
    static const char *const names[] = {"bin", "etc", "usr", NULL};
    size_t total = 0;
    each(names, show, NULL);
    each(names, measure, &total);
    printf("%zu\n", total);
    return 0;
}
