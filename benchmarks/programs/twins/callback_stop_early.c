/* The callback asks to stop; the iteration returns without releasing its key buffer. */
#include <stdio.h>
#include <stdlib.h>

static int iterate(int n, int (*each)(const char *key, void *data), void *data) {
    char *key = malloc(16);
    if (!key)
        return -1;
    for (int i = 0; i < n; i++) {
        snprintf(key, 16, "key%d", i);
        int stop = each(key, data);
        if (stop) {
#ifndef LEAK
            free(key);
#endif
            return stop;
        }
    }
    free(key);
    return 0;
}

static int third(const char *key, void *data) {
    printf("%s\n", key);
    return ++*(int *)data == 3;
}

static int never(const char *key, void *data) {
    (void)data;
    return key[0] != 'k';
}

int main(void) {
    int seen = 0;
    printf("%d %d\n", iterate(5, never, NULL), iterate(5, third, &seen));
    return 0;
}
