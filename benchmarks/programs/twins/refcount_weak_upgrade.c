/* Upgrading a weak reference counts up even if the caller then refuses the object. */
#include <stdio.h>
#include <stdlib.h>

struct object {
    int strong, ready;
};
struct weak {
    struct object *object;
};

static void release(struct object *o) {
    if (o && --o->strong == 0)
        free(o);
}

static struct object *upgrade(struct weak *w) {
    if (!w->object || w->object->strong == 0)
        return NULL;
    w->object->strong++;
    return w->object;
}

static int poll(struct weak *w) {
    struct object *o = upgrade(w);
    if (!o)
        return -1;
#ifdef LEAK
    if (!o->ready)
        return 0;
    release(o);
    return 1;
#else
    int ready = o->ready;
    release(o);
    return ready;
#endif
}

int main(void) {
    struct object *o = malloc(sizeof *o);
    if (!o)
        return 0;
    *o = (struct object){1, 0};
    struct weak w = {o};
    printf("%d\n", poll(&w));
    o->ready = 1;
    printf("%d\n", poll(&w));
    release(o);
    return 0;
}
