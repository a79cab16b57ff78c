/* The last release frees the string object but not its characters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct shared {
    unsigned references;
    char *characters;
};

static struct shared *shared_new(const char *s) {
    struct shared *x = malloc(sizeof *x);
    if (!x)
        return NULL;
    x->references = 1;
    x->characters = strdup(s);
    return x;
}

static void shared_drop(struct shared *x) {
    if (x && --x->references == 0) {
#ifndef LEAK
        free(x->characters);
#endif
        free(x);
    }
}

int main(void) {
    struct shared *a = shared_new("text"), *b = a;
    if (b)
        b->references++;
    shared_drop(a);
    puts(b && b->characters ? b->characters : "?");
    shared_drop(b);
    return 0;
}
