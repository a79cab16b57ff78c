/* The inner loop leaves the function when a cell is bad, without releasing the row. */
#include <stdio.h>
#include <stdlib.h>

static int parse_grid(const char *cells, int rows, int columns) {
    int total = 0;
    for (int r = 0; r < rows; r++) {
        int *row = malloc((size_t)columns * sizeof *row);
        if (!row)
            return -1;
        for (int c = 0; c < columns; c++) {
            char cell = cells[r * columns + c];
            if (cell < '0' || cell > '9') {
#ifndef LEAK
                free(row);
#endif
                return -1;
            }
            row[c] = cell - '0';
        }
        for (int c = columns; c-- > 0;)
            total += row[c];
        free(row);
    }
    return total;
}

int main(void) {
    printf("%d %d\n", parse_grid("123456", 2, 3), parse_grid("1234x6", 2, 3));
    return 0;
}
