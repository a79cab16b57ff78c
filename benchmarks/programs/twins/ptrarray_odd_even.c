/* Keys and values alternate in one array; the loop releases the keys only. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    static const char *const given[] = {"lang", "c", "tabs", "no", "width", "100"};
    enum { N = sizeof given / sizeof *given };
    char **pair = calloc(N, sizeof *pair);
    if (!pair)
        return 0;
    for (int i = 0; i < N; i++)
        pair[i] = strdup(given[i]);
    for (int i = 0; i + 1 < N; i += 2)
        if (pair[i] && pair[i + 1])
            printf("%s: %s\n", pair[i], pair[i + 1]);
    for (int i = 0; i < N; i += 2) {
        free(pair[i]);
#ifndef LEAK
        free(pair[i + 1]);
#endif
    }
    free(pair);
    return 0;
}
