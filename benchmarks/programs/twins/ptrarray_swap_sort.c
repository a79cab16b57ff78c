/* The insertion into the sorted array shifts over its last entry when it is full. */
#include <stdio.h>
#include <stdlib.h>

enum { BEST = 3 };

static void keep_best(int **best, int value) {
    int *score = malloc(sizeof *score);
    if (!score)
        return;
    *score = value;
    int at = 0;
    while (at < BEST && best[at] && *best[at] >= value)
        at++;
    if (at == BEST) {
        free(score);
        return;
    }
#ifndef LEAK
    free(best[BEST - 1]);
#endif
    for (int i = BEST - 1; i > at; i--)
        best[i] = best[i - 1];
    best[at] = score;
}

int main(void) {
    int *best[BEST] = {NULL};
    int scores[] = {10, 40, 20, 30, 5};
    for (int i = 0; i < 5; i++)
        keep_best(best, scores[i]);
    for (int i = 0; i < BEST; i++) {
        printf("%d\n", best[i] ? *best[i] : 0);
        free(best[i]);
    }
    return 0;
}
