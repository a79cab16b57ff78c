/* References that are counted: who counts one down has given it up. */
#include <stdlib.h>

struct object {
    int count;
    int size;
};

static int one_less(struct object *o) {
    o->count--;
    return o->count == 0;
}

struct object *make(int size) {
    struct object *o = malloc(sizeof *o);
    if (!o)
        abort();
    o->count = 1;
    o->size = size;
    return o;
}

struct object *keep(struct object *o) {
    o->count++;
    return o;
}

void drop(struct object *o) {
    if (one_less(o))
        free(o);
}

/* The object itself if nobody else has it, a copy if somebody has. */
struct object *own(struct object *o) {
    if (o->count == 1)
        return o;
    struct object *copy = make(o->size);
    drop(o);
    return copy;
}

int grown(int times) {
    struct object *o = make(0);
    for (int i = 0; i < times; i++) {
        o = own(o);
        o->size++;
    }
    int size = o->size;
    drop(o);
    return size;
}

int leak_own(struct object *other) {
    struct object *o = own(keep(other));
    if (o->size > 7)
        return 0; /* LEAK */
    drop(o);
    return 1;
}

int leak_made(int size) {
    struct object *o = own(make(size));
    if (o->size > 7)
        return 0; /* LEAK */
    drop(o);
    return 1;
}

/* A number that is counted down and is no count of references. */
struct stack {
    int used;
    int items[8];
};

void pop(struct stack *s) {
    s->used--;
}

int popped(void) {
    struct stack *s = calloc(1, sizeof *s);
    if (!s)
        return 0;
    pop(s);
    int used = s->used;
    free(s);
    return used;
}

int leak_popped(void) {
    struct stack *s = calloc(1, sizeof *s);
    if (!s)
        return 0;
    pop(s);
    return s->used; /* LEAK */
}
