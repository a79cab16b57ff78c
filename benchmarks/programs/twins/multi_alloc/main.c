/* A circle with radius zero is skipped before its memory is given back. */
#include "memory.h"
#include <stdio.h>

struct circle {
    double radius;
    char *label;
};

static double area(double radius) {
    struct circle *c = memory_get(sizeof *c);
    c->radius = radius;
    c->label = memory_get(8);
    if (c->radius <= 0) {
        memory_put(c->label);
#ifndef LEAK
        memory_put(c);
#endif
        return 0;
    }
    double a = 3 * c->radius * c->radius;
    memory_put(c->label);
    memory_put(c);
    return a;
}

int main(void) {
    printf("%.0f %.0f\n", area(2), area(0));
    printf("%d\n", memory_in_use() <= 1);
    return 0;
}
