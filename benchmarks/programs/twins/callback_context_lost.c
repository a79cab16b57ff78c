/* The context of a timer is released by the callback, but a cancelled timer never calls it. */
#include <stdio.h>
#include <stdlib.h>

struct timer {
    void (*fire)(void *);
    void *context;
    int cancelled;
};

static void print_and_free(void *context) {
    printf("%d\n", *(int *)context);
    free(context);
}

static void run(struct timer *timers, int n) {
    for (int i = 0; i < n; i++) {
        if (timers[i].cancelled) {
#ifndef LEAK
            free(timers[i].context);
#endif
            continue;
        }
        timers[i].fire(timers[i].context);
    }
}

int main(void) {
    struct timer timers[3];
    int n = 0;
    for (int i = 0; i < 3; i++) {
        int *number = malloc(sizeof *number);
        if (!number)
            break;
        *number = i;
        timers[n++] = (struct timer){print_and_free, number, i == 1};
    }
    run(timers, n);
    return 0;
}
