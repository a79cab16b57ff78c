/* Setting a new handler drops the state of the old one without calling its finisher. */
#include <stdio.h>
#include <stdlib.h>

struct handler {
    int (*handle)(void *state, int event);
    void (*finish)(void *state);
    void *state;
};

static int count_events(void *state, int event) {
    return *(int *)state += event;
}

static int ignore(void *state, int event) {
    (void)state;
    return -event;
}

static struct handler current = {ignore, NULL, NULL};

static void install(struct handler next) {
#ifndef LEAK
    if (current.finish)
        current.finish(current.state);
#endif
    current = next;
}

int main(void) {
    for (int i = 0; i < 2; i++) {
        int *state = calloc(1, sizeof *state);
        if (state)
            install((struct handler){count_events, free, state});
        printf("%d\n", current.handle(current.state, i + 1));
    }
    if (current.finish)
        current.finish(current.state);
    current = (struct handler){ignore, NULL, NULL};
    return 0;
}
