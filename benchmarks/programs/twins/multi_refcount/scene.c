/* The scene takes one reference too many when its object is selected again. */
#include "scene.h"
#include "object.h"
#include <stddef.h>

static struct object *selected;

void scene_select(struct object *o) {
    if (selected == o) {
#ifdef LEAK
        object_ref(o);
#endif
        return;
    }
    object_unref(selected);
    selected = o ? object_ref(o) : NULL;
}

int scene_selected(void) {
    return selected ? object_id(selected) : -1;
}
