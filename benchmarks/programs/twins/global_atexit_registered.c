/* The exit handler releases the registry but not the entries behind its first. */
#include <stdio.h>
#include <stdlib.h>

struct entry {
    struct entry *next;
    int id;
};
static struct entry *registry;

static void registry_free(void) {
    while (registry) {
        struct entry *e = registry;
#ifdef LEAK
        registry = NULL;
#else
        registry = e->next;
#endif
        free(e);
    }
}

static void registry_add(int id) {
    struct entry *e = malloc(sizeof *e);
    if (!e)
        return;
    e->id = id;
    e->next = registry;
    registry = e;
}

int main(void) {
    if (atexit(registry_free))
        return 0;
    for (int i = 0; i < 3; i++)
        registry_add(i);
    printf("%d\n", registry ? registry->id : -1);
    return 0;
}
