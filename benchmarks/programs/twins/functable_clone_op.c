/* The clone operation of the table is called for a temporary that is never given back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct type {
    void *(*clone)(const void *);
    void (*drop)(void *);
    int (*same)(const void *, const void *);
};

static void *text_clone(const void *t) {
    return strdup(t);
}
static int text_same(const void *a, const void *b) {
    return !strcmp(a, b);
}
static const struct type text = {text_clone, free, text_same};

static int survives(const struct type *type, const void *value) {
    void *copy = type->clone(value);
    if (!copy)
        return 0;
#ifdef LEAK
    void *second = type->clone(copy);
    int same = second && type->same(value, second);
#else
    int same = type->same(value, copy);
#endif
    type->drop(copy);
    return same;
}

int main(void) {
    printf("%d\n", survives(&text, "value"));
    return 0;
}
