/* The object is released with its last reference. */
#include "object.h"
#include <stdlib.h>

struct object {
    int references, id;
};

struct object *object_new(int id) {
    struct object *o = malloc(sizeof *o);
    if (!o)
        abort();
    *o = (struct object){1, id};
    return o;
}

struct object *object_ref(struct object *o) {
    o->references++;
    return o;
}

void object_unref(struct object *o) {
    if (o && --o->references == 0)
        free(o);
}

int object_id(const struct object *o) {
    return o->id;
}
