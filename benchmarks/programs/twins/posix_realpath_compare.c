/* Two resolved paths are compared; on equality only one of them is released. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int same_place(const char *a, const char *b) {
    char *left = realpath(a, NULL), *right = realpath(b, NULL);
    int same = left && right && !strcmp(left, right);
#ifdef LEAK
    if (same) {
        free(left);
        return 1;
    }
#endif
    free(left);
    free(right);
    return same;
}

int main(void) {
    printf("%d %d %d\n", same_place("/", "/.."), same_place("/", "/dev"), same_place("/", "/none"));
    return 0;
}
