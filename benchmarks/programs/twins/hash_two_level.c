/* The table of tables is released with a count of the outer table for the inner ones. */
#include <stdio.h>
#include <stdlib.h>

enum { OUTER = 3, INNER = 5 };

int main(void) {
    int **table[OUTER] = {NULL};
    for (int i = 0; i < OUTER; i++) {
        table[i] = calloc(INNER, sizeof *table[i]);
        for (int j = 0; table[i] && j < INNER; j++)
            if ((table[i][j] = malloc(sizeof(int))))
                *table[i][j] = i * j;
    }
    int *corner = table[OUTER - 1] ? table[OUTER - 1][INNER - 1] : NULL;
    printf("%d\n", corner ? *corner : -1);
    for (int i = 0; i < OUTER; i++) {
        if (!table[i])
            continue;
#ifdef LEAK
        for (int j = 0; j < OUTER; j++)
#else
        for (int j = 0; j < INNER; j++)
#endif
            free(table[i][j]);
        free(table[i]);
    }
    return 0;
}
