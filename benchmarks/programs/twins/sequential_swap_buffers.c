/* The front buffer is replaced by the back one, and a new back one made, without the swap. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *front = malloc(64), *back = malloc(64);
    if (!front || !back) {
        free(front);
        free(back);
        return 0;
    }
    strcpy(front, "frame 0");
    strcpy(back, "frame 1");
    puts(front);
#ifdef LEAK
    front = back;
    back = malloc(64);
#else
    char *shown = front;
    front = back;
    back = shown;
#endif
    puts(front);
    free(front);
    free(back);
    return 0;
}
