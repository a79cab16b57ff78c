/* The scene holds a reference to its selected object and takes one too many if it is selected
 * again. */
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
