/* A matrix of rows: every row, then the spine. */
#include "twin.h"
int scenario(int round)
{
    int rows = 3, sum = 0;
    int **m = calloc((size_t)rows, sizeof *m);
    if (!m)
        return 0;
    for (int i = 0; i < rows; i++) {
        m[i] = calloc(4, sizeof **m);
        if (m[i])
            m[i][0] = round;
    }
    for (int i = 0; i < rows; i++)
        sum += m[i] ? m[i][0] : 0;
#ifndef LEAK
    for (int i = 0; i < rows; i++)
        free(m[i]);
#endif
    free(m);
    return sum;
}
