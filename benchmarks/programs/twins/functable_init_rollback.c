/* When a later module fails, the modules before it are shut down, except for the first. */
#include <stdio.h>
#include <stdlib.h>

struct module {
    int (*start)(void **state);
    void (*stop)(void *state);
};

static int start_good(void **state) {
    *state = malloc(8);
    return *state ? 0 : -1;
}

static int start_bad(void **state) {
    *state = NULL;
    return -1;
}

static const struct module modules[] = {{start_good, free}, {start_good, free}, {start_bad, free}};

static int start_all(void) {
    void *state[3];
    for (int i = 0; i < 3; i++) {
        if (modules[i].start(&state[i])) {
#ifdef LEAK
            while (--i > 0)
#else
            while (--i >= 0)
#endif
                modules[i].stop(state[i]);
            return -1;
        }
    }
    for (int i = 0; i < 3; i++)
        modules[i].stop(state[i]);
    return 0;
}

int main(void) {
    printf("%d\n", start_all());
    return 0;
}
