/* A retry asks for a new buffer of double size and forgets the one that was too small. */
#include <stdio.h>
#include <stdlib.h>

static char *format_number(long value) {
    size_t room = 1;
    char *buffer = NULL;
    int need;
    do {
#ifndef LEAK
        free(buffer);
#endif
        room *= 2;
        buffer = malloc(room);
        if (!buffer)
            return NULL;
        need = snprintf(buffer, room, "%ld", value);
    } while (need >= (int)room);
    return buffer;
}

int main(void) {
    char *s = format_number(1234567);
    if (s) {
        puts(s);
        free(s);
    }
    return 0;
}
