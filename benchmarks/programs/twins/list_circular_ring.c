/* The ring is released from the second node up to the first, exclusive of the first. */
#include <stdio.h>
#include <stdlib.h>

struct slot {
    struct slot *next;
    int load;
};

static struct slot *ring(int n) {
    struct slot *first = malloc(sizeof *first);
    if (!first)
        return NULL;
    first->next = first;
    first->load = 0;
    for (int i = 1; i < n; i++) {
        struct slot *s = malloc(sizeof *s);
        if (!s)
            break;
        *s = (struct slot){first->next, i};
        first->next = s;
    }
    return first;
}

static void drop(struct slot *first) {
    if (!first)
        return;
    struct slot *s = first->next;
    while (s != first) {
        struct slot *next = s->next;
        free(s);
        s = next;
    }
#ifndef LEAK
    free(first);
#endif
}

int main(void) {
    struct slot *r = ring(4);
    int sum = 0, turns = 0;
    for (struct slot *s = r; s && turns < 8; s = s->next, turns++)
        sum += s->load;
    printf("%d\n", sum);
    drop(r);
    return 0;
}
