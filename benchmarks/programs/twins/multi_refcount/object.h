/* A counted object. */
struct object;

struct object *object_new(int id);
struct object *object_ref(struct object *o);
void object_unref(struct object *o);
int object_id(const struct object *o);
