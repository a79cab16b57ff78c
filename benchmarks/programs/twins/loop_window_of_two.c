/* The sliding pair keeps the last two lines; at the end the older of them is forgotten. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    static const char *const lines[] = {"a", "b", "b", "c", "d"};
    char *before = NULL, *now = NULL;
    int repeats = 0;
    for (int i = 0; i < 5; i++) {
        free(before);
        before = now;
        now = strdup(lines[i]);
        if (before && now && !strcmp(before, now))
            repeats++;
    }
    printf("%d\n", repeats);
    free(now);
#ifndef LEAK
    free(before);
#endif
    return 0;
}
