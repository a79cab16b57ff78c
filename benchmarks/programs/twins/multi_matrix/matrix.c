/* Square matrices. */
#include "matrix.h"
#include <stdlib.h>

struct matrix *matrix_new(int n, double diagonal) {
    struct matrix *m = malloc(sizeof *m);
    if (!m)
        abort();
    m->n = n;
    m->at = calloc((size_t)(n * n), sizeof *m->at);
    if (!m->at)
        abort();
    for (int i = 0; i < n; i++)
        m->at[i * n + i] = diagonal;
    return m;
}

struct matrix *matrix_multiply(const struct matrix *a, const struct matrix *b) {
    struct matrix *c = matrix_new(a->n, 0);
    for (int i = 0; i < a->n; i++)
        for (int j = 0; j < a->n; j++)
            for (int k = 0; k < a->n; k++)
                c->at[i * a->n + j] += a->at[i * a->n + k] * b->at[k * a->n + j];
    return c;
}

void matrix_free(struct matrix *m) {
    if (m)
        free(m->at);
    free(m);
}
