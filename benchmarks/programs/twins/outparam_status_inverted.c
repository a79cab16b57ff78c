/* The status of the constructor is read the wrong way round. */
#include <stdio.h>
#include <stdlib.h>

struct matrix {
    int n;
    double *at;
};

static int matrix_new(struct matrix **out, int n) {
    struct matrix *m = malloc(sizeof *m);
    if (!m)
        return 0;
    m->n = n;
    m->at = calloc((size_t)(n * n), sizeof *m->at);
    if (!m->at) {
        free(m);
        return 0;
    }
    *out = m;
    return 1;
}

int main(void) {
    struct matrix *m = NULL;
#ifdef LEAK
    if (matrix_new(&m, 3) != 0)
        return 0;
#else
    if (matrix_new(&m, 3) == 0)
        return 0;
#endif
    if (m) {
        printf("%d\n", m->n);
        free(m->at);
    }
    free(m);
    return 0;
}
