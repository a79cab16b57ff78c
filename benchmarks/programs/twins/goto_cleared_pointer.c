/* The table is set to null before the jump to the label that releases it. */
#include <stdio.h>
#include <stdlib.h>

static int *squares(int n) {
    int *table = malloc(sizeof *table * 8);
    if (!table)
        goto done;
    if (n > 8) {
#ifndef LEAK
        free(table);
#endif
        table = NULL;
        goto done;
    }
    for (int i = 0; i < 8; i++)
        table[i] = i < n ? i * i : 0;
done:
    return table;
}

int main(void) {
    int *ok = squares(5), *bad = squares(9);
    printf("%d %d\n", ok ? ok[4] : -1, bad == NULL);
    free(ok);
    free(bad);
    return 0;
}
