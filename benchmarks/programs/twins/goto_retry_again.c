/* The retry jumps back above the allocation without releasing the first buffer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int attempt;

static int try_read(char *buffer, size_t size) {
    memset(buffer, 'x', size);
    return attempt++ < 2 ? -1 : (int)size;
}

static int read_all(void) {
    int n, left = 5;
    char *buffer;
again:
    buffer = malloc(24);
    if (!buffer)
        return -1;
    n = try_read(buffer, 24);
    if (n < 0 && --left > 0) {
#ifndef LEAK
        free(buffer);
#endif
        goto again;
    }
    free(buffer);
    return n;
}

int main(void) {
    printf("%d\n", read_all());
    return 0;
}
