/* What is selected. */
struct object;

void scene_select(struct object *o);
int scene_selected(void);
