/* The engine of the car is released; the block inside the engine is not. */
#include <stdio.h>
#include <stdlib.h>

struct block {
    int cylinders;
};
struct engine {
    struct block *block;
    int power;
};
struct car {
    struct engine *engine;
    int doors;
};

static struct car *car_new(int cylinders) {
    struct car *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->engine = calloc(1, sizeof *c->engine);
    if (!c->engine) {
        free(c);
        return NULL;
    }
    c->engine->block = calloc(1, sizeof *c->engine->block);
    if (!c->engine->block) {
        free(c->engine);
        free(c);
        return NULL;
    }
    c->engine->block->cylinders = cylinders;
    return c;
}

static void car_free(struct car *c) {
    if (!c)
        return;
#ifndef LEAK
    free(c->engine->block);
#endif
    free(c->engine);
    free(c);
}

int main(void) {
    struct car *c = car_new(6);
    if (c)
        printf("%d\n", c->engine->block->cylinders);
    car_free(c);
    return 0;
}
