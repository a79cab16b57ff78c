/* The scratch buffer of the checksum function is not released before it returns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned checksum(const char *text) {
    size_t n = strlen(text);
    unsigned char *scratch = malloc(n + 1);
    if (!scratch)
        return 0;
    memcpy(scratch, text, n + 1);
    for (size_t i = 1; i < n; i++)
        scratch[i] ^= scratch[i - 1];
    unsigned sum = 0;
    for (size_t i = 0; i < n; i++)
        sum = sum * 31 + scratch[i];
#ifndef LEAK
    free(scratch);
#endif
    return sum;
}

int main(void) {
    unsigned a = checksum("hello"), b = checksum("hellp");
    printf("%d\n", a != b);
    return 0;
}
