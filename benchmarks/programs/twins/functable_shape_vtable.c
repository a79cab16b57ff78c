/* The destructor of a polygon releases the shape, not its points. */
#include <stdio.h>
#include <stdlib.h>

struct shape;
struct vtable {
    double (*area)(const struct shape *);
    void (*destroy)(struct shape *);
};
struct shape {
    const struct vtable *is;
    double size;
    double *points;
};

static double square_area(const struct shape *s) {
    return s->size * s->size;
}
static double strip_area(const struct shape *s) {
    return s->points ? s->points[0] * s->size : 0;
}
static void plain_destroy(struct shape *s) {
    free(s);
}
static void strip_destroy(struct shape *s) {
#ifndef LEAK
    free(s->points);
#endif
    plain_destroy(s);
}

static const struct vtable square = {square_area, plain_destroy};
static const struct vtable strip = {strip_area, strip_destroy};

static struct shape *shape_new(const struct vtable *is, double size) {
    struct shape *s = calloc(1, sizeof *s);
    if (!s)
        abort();
    s->is = is;
    s->size = size;
    if (is == &strip && (s->points = malloc(sizeof *s->points)))
        *s->points = 2;
    return s;
}

int main(void) {
    struct shape *shapes[] = {shape_new(&square, 3), shape_new(&strip, 4)};
    for (int i = 0; i < 2; i++) {
        printf("%.0f\n", shapes[i]->is->area(shapes[i]));
        shapes[i]->is->destroy(shapes[i]);
    }
    return 0;
}
