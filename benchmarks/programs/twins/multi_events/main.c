/* Counts down in an event loop; the leak is in loop.c. */
#include "loop.h"
#include <stdio.h>
#include <stdlib.h>

static int tick(void *data) {
    int *left = data;
    printf("%d\n", *left);
    return --*left > 0;
}

int main(void) {
    for (int i = 1; i < 4; i += 2) {
        int *left = malloc(sizeof *left);
        if (!left)
            break;
        *left = i;
        loop_add(tick, left);
    }
    loop_run(2);
    loop_close();
    return 0;
}
