/* The handler releases what the first stage allocated, but not the second. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf escape;

static void stage(int *data, int n) {
    for (int i = 0; i < n; i++)
        data[i] = i;
    if (n > 4)
        longjmp(escape, 1);
}

static int run(int n) {
    int *volatile first = NULL, *volatile second = NULL;
    if (setjmp(escape)) {
        free(first);
#ifndef LEAK
        free(second);
#endif
        return -1;
    }
    first = malloc(4 * sizeof(int));
    second = malloc(8 * sizeof(int));
    if (first && second) {
        stage(first, 4);
        stage(second, n);
    }
    free(second);
    free(first);
    return n;
}

int main(void) {
    printf("%d %d\n", run(3), run(8));
    return 0;
}
