/* Removal by swapping with the last keeps the last one and forgets the removed one's data. */
#include <stdio.h>
#include <stdlib.h>

struct particle {
    float x;
    float *trail;
};
struct system {
    struct particle p[6];
    int n;
};

static void spawn(struct system *s, float x) {
    float *trail = calloc(4, sizeof *trail);
    if (!trail)
        return;
    trail[0] = x;
    s->p[s->n++] = (struct particle){x, trail};
}

static void step(struct system *s) {
    for (int i = 0; i < s->n;) {
        s->p[i].x -= 1;
        if (s->p[i].x < 0) {
#ifdef LEAK
            s->p[i] = s->p[--s->n];
#else
            free(s->p[i].trail);
            s->p[i] = s->p[--s->n];
#endif
        } else {
            i++;
        }
    }
}

int main(void) {
    struct system s = {.n = 0};
    for (int i = 0; i < 5; i++)
        spawn(&s, (float)i);
    step(&s);
    step(&s);
    printf("%d\n", s.n);
    while (s.n)
        free(s.p[--s.n].trail);
    return 0;
}
