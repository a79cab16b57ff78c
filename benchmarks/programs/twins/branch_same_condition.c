/* The buffer is taken if the size exceeds a limit, but released for a larger limit only. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 16, LARGE = 64 };

static int shout(const char *text) {
    char local[SMALL];
    size_t need = strlen(text) + 2;
    char *buffer = local;
    if (need > SMALL) {
        buffer = malloc(need);
        if (!buffer)
            return -1;
    }
    sprintf(buffer, "%s!", text);
    puts(buffer);
#ifdef LEAK
    if (need > LARGE)
#else
    if (buffer != local)
#endif
        free(buffer);
    return (int)need - (int)LARGE;
}

int main(void) {
    shout("short");
    shout("a text that is longer than sixteen");
    return 0;
}
