/* The cells of the matrix are not released, only its header. */
#include <stdio.h>
#include <stdlib.h>

struct matrix {
    size_t rows, columns;
    double *cell;
};

int main(void) {
    struct matrix *m = malloc(sizeof *m);
    if (!m)
        return 0;
    m->rows = 3;
    m->columns = 4;
    m->cell = calloc(m->rows * m->columns, sizeof *m->cell);
    if (!m->cell) {
        free(m);
        return 0;
    }
    for (size_t i = 0; i < m->rows * m->columns; i++)
        m->cell[i] = (double)i / 2;
    double trace = 0;
    for (size_t i = 0; i < m->rows; i++)
        trace += m->cell[i * m->columns + i];
    printf("trace %.1f\n", trace);
#ifndef LEAK
    free(m->cell);
#endif
    free(m);
    return 0;
}
