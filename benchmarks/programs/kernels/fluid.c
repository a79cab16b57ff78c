/* Particles that push each other away, kept in the lists of a grid: as PARSEC's fluidanimate. The
   argument is how many frames there are. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 8, PARTICLES = 300 };

struct particle {
    double x, y, vx, vy, density;
    struct particle *next; /* in its cell */
};

static struct particle *particles;
static struct particle *cells[SIDE * SIDE];

static int cell_of(const struct particle *p) {
    int x = p->x * SIDE, y = p->y * SIDE;
    x = x < 0 ? 0 : x >= SIDE ? SIDE - 1 : x;
    y = y < 0 ? 0 : y >= SIDE ? SIDE - 1 : y;
    return y * SIDE + x;
}

static void rebuild(void) {
    for (int i = 0; i < SIDE * SIDE; i++)
        cells[i] = NULL;
    for (int i = 0; i < PARTICLES; i++) {
        struct particle *p = &particles[i];
        int cell = cell_of(p);
        p->next = cells[cell];
        p->density = 0;
        cells[cell] = p;
    }
}

static void interact(struct particle *p, struct particle *q) {
    double dx = p->x - q->x, dy = p->y - q->y, square = dx * dx + dy * dy;
    if (square >= 1.0 / (SIDE * SIDE))
        return;
    double near = 1.0 / (SIDE * SIDE) - square, distance = sqrt(square) + 1e-9;
    p->density += near;
    p->vx += near * dx / distance;
    p->vy += near * dy / distance;
}

static void push(void) {
    for (int cell = 0; cell < SIDE * SIDE; cell++)
        for (struct particle *p = cells[cell]; p; p = p->next)
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) {
                    int x = cell % SIDE + dx, y = cell / SIDE + dy;
                    if (x < 0 || y < 0 || x >= SIDE || y >= SIDE)
                        continue;
                    for (struct particle *q = cells[y * SIDE + x]; q; q = q->next)
                        if (q != p)
                            interact(p, q);
                }
}

static void move(void) {
    for (int i = 0; i < PARTICLES; i++) {
        struct particle *p = &particles[i];
        p->vy -= 0.0001;
        p->x += p->vx;
        p->y += p->vy;
        if (p->x < 0 || p->x > 1)
            p->vx = -p->vx;
        if (p->y < 0 || p->y > 1)
            p->vy = -p->vy;
    }
}

int main(int argc, char **argv) {
    long frames = argc > 1 ? atol(argv[1]) : 5;
    particles = calloc(PARTICLES, sizeof *particles);
    for (int i = 0; i < PARTICLES; i++) {
        particles[i].x = (i * 37 % PARTICLES + 0.5) / PARTICLES;
        particles[i].y = (i * 101 % PARTICLES + 0.5) / PARTICLES;
    }
    for (long i = 0; i < frames; i++) {
        rebuild();
        push();
        move();
    }
    double sum = 0;
    for (int i = 0; i < PARTICLES; i++)
        sum += particles[i].x + particles[i].y + particles[i].density;
    printf("%.6f\n", sum);
    free(particles);
    return 0;
}
