/* When the check fails the function returns without giving its reference back. */
#include <stdio.h>
#include <stdlib.h>

struct socket {
    int references, open;
};

static struct socket *hold(struct socket *s) {
    s->references++;
    return s;
}

static void drop(struct socket *s) {
    if (--s->references == 0)
        free(s);
}

static int transmit(struct socket *shared, int bytes) {
    struct socket *s = hold(shared);
    if (!s->open) {
#ifndef LEAK
        drop(s);
#endif
        return -1;
    }
    drop(s);
    return bytes;
}

int main(void) {
    struct socket *s = malloc(sizeof *s);
    if (!s)
        return 0;
    *s = (struct socket){1, 1};
    printf("%d\n", transmit(s, 10));
    s->open = 0;
    printf("%d\n", transmit(s, 10));
    drop(s);
    return 0;
}
