/* The wrapper copies the array and leaves the old one to the caller, who forgets it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int *grown_copy(const int *old, size_t n, size_t room) {
    int *fresh = calloc(room, sizeof *fresh);
    if (!fresh)
        abort();
    if (n)
        memcpy(fresh, old, n * sizeof *fresh);
    return fresh;
}

int main(void) {
    int *data = NULL;
    size_t n = 0, room = 0;
    for (int i = 0; i < 10; i++) {
        if (n == room) {
            room = room ? room * 2 : 4;
            int *fresh = grown_copy(data, n, room);
#ifndef LEAK
            free(data);
#endif
            data = fresh;
        }
        data[n++] = i;
    }
    printf("%d\n", data[9]);
    free(data);
    return 0;
}
