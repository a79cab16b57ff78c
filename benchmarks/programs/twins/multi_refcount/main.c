/* Selects objects; the leak is in scene.c. */
#include "object.h"
#include "scene.h"
#include <stddef.h>
#include <stdio.h>

int main(void) {
    struct object *a = object_new(1), *b = object_new(2);
    scene_select(a);
    scene_select(b);
    scene_select(b);
    printf("%d\n", scene_selected());
    scene_select(NULL);
    object_unref(a);
    object_unref(b);
    return 0;
}
