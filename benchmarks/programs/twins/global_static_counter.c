/* A static flag makes the function skip the release after its first call. */
#include <stdio.h>
#include <stdlib.h>

static int average(const int *v, int n) {
    static int warmed_up;
    int *copy = malloc((size_t)n * sizeof *copy);
    if (!copy)
        return 0;
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += copy[i] = v[i];
    if (!warmed_up) {
        warmed_up = 1;
        free(copy);
        return sum / n;
    }
#ifndef LEAK
    free(copy);
#endif
    return sum / n;
}

int main(void) {
    int v[] = {1, 2, 3, 6};
    printf("%d %d\n", average(v, 4), average(v, 3));
    return 0;
}
