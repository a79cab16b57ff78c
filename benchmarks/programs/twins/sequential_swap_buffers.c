/* After the swap the same buffer is released through both names in turn; one of two is lost. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *front = malloc(32), *back = malloc(64);
    if (!front || !back) {
        free(front);
        free(back);
        return 0;
    }
    strcpy(front, "frame 0");
    strcpy(back, "frame 1");
    puts(front);
    char *shown = front;
    front = back;
#ifndef LEAK
    back = shown;
#else
    back = NULL;
    shown = front;
#endif
    puts(shown);
    puts(front);
    free(front);
    free(back);
    return 0;
}
