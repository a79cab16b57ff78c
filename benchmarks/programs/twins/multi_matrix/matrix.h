/* Matrices on the heap. */
struct matrix {
    int n;
    double *at;
};

struct matrix *matrix_new(int n, double diagonal);
struct matrix *matrix_multiply(const struct matrix *a, const struct matrix *b);
void matrix_free(struct matrix *m);
