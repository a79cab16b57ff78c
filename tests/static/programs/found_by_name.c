/* Functions found by name at run time: what they return is no new memory because others of their type make some. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct bus {
    int open;
};

static struct bus *(*bus_unref)(struct bus *);
static struct bus *bus;

static struct bus *bus_copy(struct bus *from) {
    struct bus *made = malloc(sizeof *made);
    if (made)
        *made = *from;
    return made;
}

struct bus *(*const copier)(struct bus *) = bus_copy;
struct handlers {
    struct bus *(*copy)(struct bus *);
};
struct bus *(*table[])(struct bus *) = {bus_copy};

int begin(void *library) {
    bus_unref = dlsym(library, "bus_unref");
    return bus_unref != NULL;
}

void done(void) {
    if (bus)
        bus_unref(bus);
    bus = NULL;
}

void leak_copy(void) {
    if (bus)
        copier(bus); /* LEAK */
}
