/* The rows of the matrix are released one short. */
#include <stdio.h>
#include <stdlib.h>

static void drop(int **m, int rows) {
#ifdef LEAK
    while (--rows > 0)
#else
    while (--rows >= 0)
#endif
        free(m[rows]);
    free(m);
}

static int **identity(int n) {
    int **m = calloc((size_t)n, sizeof *m);
    if (!m)
        return NULL;
    for (int i = 0; i < n; i++) {
        m[i] = calloc((size_t)n, sizeof **m);
        if (!m[i]) {
            drop(m, n);
            return NULL;
        }
        m[i][i] = 1;
    }
    return m;
}

int main(void) {
    int **m = identity(5);
    if (!m)
        return 0;
    int trace = 0;
    for (int i = 0; i < 5; i++)
        trace += m[i][i];
    printf("%d\n", trace);
    drop(m, 5);
    return 0;
}
