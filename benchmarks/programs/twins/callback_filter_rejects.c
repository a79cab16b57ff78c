/* Items that the predicate rejects are left out of the result and lost. */
#include <stdio.h>
#include <stdlib.h>

typedef int predicate(const int *);

static int even(const int *n) {
    return *n % 2 == 0;
}

static size_t keep_if(int **items, size_t n, predicate *wanted) {
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (wanted(items[i])) {
            items[kept++] = items[i];
            continue;
        }
#ifdef LEAK
        items[i] = NULL;
#else
        free(items[i]);
#endif
    }
    return kept;
}

int main(void) {
    int *items[5];
    size_t n = 0;
    for (int i = 0; i < 5; i++)
        if ((items[n] = malloc(sizeof(int))))
            *items[n++] = i;
    n = keep_if(items, n, even);
    printf("%zu\n", n);
    while (n)
        free(items[--n]);
    return 0;
}
