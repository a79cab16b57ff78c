/* The helper assigns its own parameter; the memory never arrives at the caller. */
#include <stdio.h>
#include <stdlib.h>

#ifdef LEAK
static void make_table(int *table, int n) {
    table = malloc((size_t)n * sizeof *table);
    for (int i = 0; table && i < n; i++)
        table[i] = i;
}
#else
static void make_table(int **table, int n) {
    *table = malloc((size_t)n * sizeof **table);
    for (int i = 0; *table && i < n; i++)
        (*table)[i] = i;
}
#endif

int main(void) {
    int *table = NULL;
#ifdef LEAK
    make_table(table, 8);
#else
    make_table(&table, 8);
#endif
    printf("%d\n", table ? table[7] >= 0 : 1);
    free(table);
    return 0;
}
