/* A handler that asks to be removed is taken off the list, but its data is not released. */
#include "loop.h"
#include <stdlib.h>

struct source {
    struct source *next;
    handler *handle;
    void *data;
};
static struct source *sources;

int loop_add(handler *h, void *data) {
    struct source *s = malloc(sizeof *s);
    if (!s) {
        free(data);
        return -1;
    }
    *s = (struct source){sources, h, data};
    sources = s;
    return 0;
}

static void remove_source(struct source **at) {
    struct source *s = *at;
    *at = s->next;
    free(s->data);
    free(s);
}

void loop_run(int rounds) {
    while (rounds-- > 0)
        for (struct source **at = &sources; *at;) {
            if ((*at)->handle((*at)->data)) {
                at = &(*at)->next;
            } else {
#ifdef LEAK
                (*at)->data = NULL;
#endif
                remove_source(at);
            }
        }
}

void loop_close(void) {
    while (sources)
        remove_source(&sources);
}
