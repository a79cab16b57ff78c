/* When the second array cannot be had the first is not released. */
// needs a failing allocation
#include <stdio.h>
#include <stdlib.h>

struct mesh {
    float *vertex;
    unsigned *index;
};

static struct mesh *mesh_new(size_t n) {
    struct mesh *m = malloc(sizeof *m);
    if (!m)
        goto no_mesh;
    m->vertex = calloc(n, 3 * sizeof *m->vertex);
    if (!m->vertex)
        goto no_vertex;
    m->index = calloc(n, sizeof *m->index);
    if (!m->index)
#ifdef LEAK
        goto no_vertex;
#else
        goto no_index;
#endif
    return m;
#ifndef LEAK
no_index:
    free(m->vertex);
#endif
no_vertex:
    free(m);
no_mesh:
    return NULL;
}

int main(void) {
    struct mesh *m = mesh_new(8);
    if (!m)
        return 0;
    printf("%u\n", m->index[7]);
    free(m->vertex);
    free(m->index);
    free(m);
    return 0;
}
