/* The lookup takes a reference for the caller, who does not know. */
#include <stdio.h>
#include <stdlib.h>

struct object {
    int references, value;
};
static struct object *registered;

static struct object *get(struct object *o) {
    if (o)
        o->references++;
    return o;
}

static void put(struct object *o) {
    if (o && --o->references == 0)
        free(o);
}

static struct object *lookup(void) {
    return get(registered);
}

int main(void) {
    registered = malloc(sizeof *registered);
    if (!registered)
        return 0;
    *registered = (struct object){1, 42};
    struct object *mine = lookup();
    printf("%d\n", mine->value);
#ifndef LEAK
    put(mine);
#endif
    put(registered);
    registered = NULL;
    return 0;
}
