/* Each block replaces the previous one; the last is released only if the loop ended early. */
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int *previous = NULL;
    int limit = 6, step = 0;
    while (step < limit) {
        int *current = malloc(sizeof *current);
        if (!current)
            break;
        *current = previous ? *previous + step : step;
        free(previous);
        previous = current;
        step++;
    }
    printf("%d\n", previous ? *previous : -1);
#ifdef LEAK
    if (step < limit)
        free(previous);
#else
    free(previous);
#endif
    return 0;
}
