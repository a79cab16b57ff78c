/* The power is built by repeated products that replace each other unreleased. */
#include "matrix.h"
#include <stdio.h>

static struct matrix *power(const struct matrix *m, int exponent) {
    struct matrix *result = matrix_new(m->n, 1);
    while (exponent-- > 0) {
        struct matrix *product = matrix_multiply(result, m);
#ifndef LEAK
        matrix_free(result);
#endif
        result = product;
    }
    return result;
}

int main(void) {
    struct matrix *two = matrix_new(3, 2), *eight = power(two, 3);
    printf("%.0f\n", eight->at[0]);
    matrix_free(two);
    matrix_free(eight);
    return 0;
}
