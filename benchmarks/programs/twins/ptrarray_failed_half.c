/* A bad number ends the parse; the numbers before it are not released. */
#include <stdio.h>
#include <stdlib.h>

static int parse(const char *const *text, int n, long **out) {
    for (int i = 0; i < n; i++) {
        char *end;
        long value = strtol(text[i], &end, 10);
        if (*end || !(out[i] = malloc(sizeof **out))) {
#ifndef LEAK
            while (i-- > 0)
                free(out[i]);
#endif
            return -1;
        }
        *out[i] = value;
    }
    return n;
}

int main(void) {
    static const char *const good[] = {"1", "22", "333"}, *const bad[] = {"4", "55", "6x6"};
    long *number[3];
    int n = parse(good, 3, number);
    for (int i = 0; i < n; i++) {
        printf("%ld\n", *number[i]);
        free(number[i]);
    }
    printf("%d\n", parse(bad, 3, number));
    return 0;
}
