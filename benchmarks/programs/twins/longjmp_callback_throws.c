/* The callback jumps out of the iteration, which holds a row. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf out;
static int *row_in_use;

static void each_row(int rows, void (*visit)(const int *)) {
    for (int r = 0; r < rows; r++) {
        int *row = calloc(4, sizeof *row);
        if (!row)
            return;
        row[0] = r;
#ifndef LEAK
        row_in_use = row;
#endif
        visit(row);
        row_in_use = NULL;
        free(row);
    }
}

static void stop_at_two(const int *row) {
    if (row[0] == 2)
        longjmp(out, 1);
    printf("row %d\n", row[0]);
}

int main(void) {
    if (setjmp(out) == 0)
        each_row(5, stop_at_two);
    else
        free(row_in_use);
    return 0;
}
