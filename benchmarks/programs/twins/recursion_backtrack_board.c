/* The boards of failed tries are not released. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 4 };

static int safe(const int *queen, int row, int column) {
    for (int r = 0; r < row; r++)
        if (queen[r] == column || abs(queen[r] - column) == row - r)
            return 0;
    return 1;
}

static int *solve(int *board, int row) {
    if (row == N)
        return board;
    for (int column = 0; column < N; column++) {
        if (!safe(board, row, column))
            continue;
        int *next = malloc(N * sizeof *next);
        if (!next)
            abort();
        memcpy(next, board, N * sizeof *next);
        next[row] = column;
        int *solved = solve(next, row + 1);
        if (solved) {
            if (solved != next)
                free(next);
            return solved;
        }
#ifndef LEAK
        free(next);
#endif
    }
    return NULL;
}

int main(void) {
    int empty[N] = {0};
    int *board = solve(empty, 0);
    for (int i = 0; board && i < N; i++)
        printf("%d", board[i]);
    puts("");
    free(board);
    return 0;
}
