/* The recursive sort releases the left half's buffer and, on odd lengths, not the right one's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int *sorted(const int *v, size_t n) {
    int *out = malloc((n ? n : 1) * sizeof *out);
    if (!out)
        abort();
    if (n < 2) {
        memcpy(out, v, n * sizeof *out);
        return out;
    }
    size_t half = n / 2, i = 0, j = 0;
    int *left = sorted(v, half), *right = sorted(v + half, n - half);
    for (size_t k = 0; k < n; k++)
        out[k] = j == n - half || (i < half && left[i] <= right[j]) ? left[i++] : right[j++];
    free(left);
#ifdef LEAK
    if (n % 2 == 0)
#endif
        free(right);
    return out;
}

int main(void) {
    int v[] = {5, 1, 4, 2, 3};
    int *s = sorted(v, 5);
    for (int i = 0; i < 5; i++)
        printf("%d ", s[i]);
    puts("");
    free(s);
    return 0;
}
