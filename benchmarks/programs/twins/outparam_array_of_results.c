/* The function gives back an array and its length; the caller uses the length of the input. */
#include <stdio.h>
#include <stdlib.h>

static size_t divisors(int n, int ***out) {
    int **list = calloc((size_t)n, sizeof *list);
    size_t count = 0;
    *out = list;
    for (int d = 1; list && d <= n; d++)
        if (n % d == 0) {
            list[count] = malloc(sizeof **list);
            if (!list[count])
                break;
            *list[count++] = d;
        }
    return count;
}

int main(void) {
    int **list;
    size_t n = divisors(12, &list), expected = 4;
    printf("%zu\n", n);
#ifdef LEAK
    n = n < expected ? n : expected;
#else
    n = n < expected ? expected : n;
    if (!list)
        n = 0;
#endif
    for (size_t i = 0; i < n; i++)
        free(list[i]);
    free(list);
    return 0;
}
