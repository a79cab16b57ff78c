/* Resetting the pool keeps the first chunk and forgets the chunks behind it. */
#include <stdio.h>
#include <stdlib.h>

struct chunk {
    struct chunk *next;
    size_t used;
    char data[64];
};
struct pool {
    struct chunk *first, *now;
};

static void *pool_take(struct pool *p, size_t n) {
    if (!p->now || p->now->used + n > sizeof p->now->data) {
        struct chunk *c = malloc(sizeof *c);
        if (!c)
            return NULL;
        c->next = NULL;
        c->used = 0;
        if (p->now)
            p->now->next = c;
        else
            p->first = c;
        p->now = c;
    }
    void *at = p->now->data + p->now->used;
    p->now->used += n;
    return at;
}

static void chunks_free(struct chunk *c) {
    while (c) {
        struct chunk *next = c->next;
        free(c);
        c = next;
    }
}

static void pool_reset(struct pool *p) {
    p->now = p->first;
    if (p->now) {
#ifndef LEAK
        chunks_free(p->now->next);
#endif
        p->now->next = NULL;
        p->now->used = 0;
    }
}

int main(void) {
    struct pool p = {NULL, NULL};
    int taken = 0;
    for (int i = 0; i < 5; i++)
        taken += pool_take(&p, 40) != NULL;
    pool_reset(&p);
    printf("%d\n", taken + (pool_take(&p, 8) != NULL));
    chunks_free(p.first);
    return 0;
}
