/* The outer constructor initialises the inner structure, the caller does it once more. */
#include <stdio.h>
#include <stdlib.h>

struct rng {
    unsigned *state;
};
struct game {
    struct rng rng;
    int lives;
};

static void rng_init(struct rng *r, unsigned seed) {
    r->state = malloc(4 * sizeof *r->state);
    for (unsigned i = 0; r->state && i < 4; i++)
        r->state[i] = seed + i;
}

static void game_init(struct game *g) {
    rng_init(&g->rng, 1);
    g->lives = 3;
}

static void game_seed(struct game *g, unsigned seed) {
#ifdef LEAK
    rng_init(&g->rng, seed);
#else
    for (unsigned i = 0; g->rng.state && i < 4; i++)
        g->rng.state[i] = seed + i;
#endif
}

int main(void) {
    struct game g;
    game_init(&g);
    game_seed(&g, 42);
    printf("%u %d\n", g.rng.state ? g.rng.state[0] : 0, g.lives);
    free(g.rng.state);
    return 0;
}
