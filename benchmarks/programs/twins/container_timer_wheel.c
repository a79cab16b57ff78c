/* Of each slot of the wheel only the first timer is released. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { SLOTS = 4 };
struct link {
    struct link *next;
};
struct timer {
    long due;
    struct link in_slot;
};
struct wheel {
    struct link *slot[SLOTS];
};

static void schedule(struct wheel *w, long due) {
    struct timer *t = malloc(sizeof *t);
    if (!t)
        return;
    t->due = due;
    t->in_slot.next = w->slot[due % SLOTS];
    w->slot[due % SLOTS] = &t->in_slot;
}

static int drain(struct wheel *w) {
    int n = 0;
    for (int i = 0; i < SLOTS; i++) {
#ifdef LEAK
        if (w->slot[i]) {
#else
        while (w->slot[i]) {
#endif
            struct link *l = w->slot[i];
            w->slot[i] = l->next;
            free((char *)l - offsetof(struct timer, in_slot));
            n++;
        }
        w->slot[i] = NULL;
    }
    return n;
}

int main(void) {
    struct wheel w = {{NULL}};
    for (long due = 1; due < 10; due += 2)
        schedule(&w, due);
    printf("%d\n", drain(&w) > 0);
    return 0;
}
