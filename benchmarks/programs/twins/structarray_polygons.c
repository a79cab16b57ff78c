/* The points of a polygon with too few corners are not released when it is skipped. */
#include <stdio.h>
#include <stdlib.h>

struct point {
    int x, y;
};
struct polygon {
    int corners;
    struct point *at;
};

static int load(struct polygon *p, int corners) {
    p->corners = corners;
    p->at = calloc((size_t)corners, sizeof *p->at);
    if (!p->at)
        return 0;
    for (int i = 0; i < corners; i++)
        p->at[i] = (struct point){i, i * i};
    if (corners < 3) {
#ifndef LEAK
        free(p->at);
#endif
        return 0;
    }
    return 1;
}

int main(void) {
    struct polygon shape[4];
    int n = 0, corners[] = {4, 2, 3, 1};
    for (int i = 0; i < 4; i++)
        n += load(&shape[n], corners[i]);
    for (int i = n; i-- > 0;) {
        printf("%d\n", shape[i].at[shape[i].corners - 1].y);
        free(shape[i].at);
    }
    return 0;
}
