/* The stream is closed on every path but the one without a buffer for it. */
// leaks a stream
#include <stdio.h>
#include <stdlib.h>

static int first_byte(const char *path, size_t room) {
    FILE *f = fopen(path, "r");
    if (!f)
        return -1;
    unsigned char *buffer = room <= 4096 ? malloc(room) : NULL;
    if (!buffer) {
#ifndef LEAK
        fclose(f);
#endif
        return -2;
    }
    int byte = fread(buffer, 1, 1, f) == 1 ? buffer[0] : -3;
    free(buffer);
    fclose(f);
    return byte;
}

int main(void) {
    printf("%d\n", first_byte("/dev/zero", 16));
    printf("%d\n", first_byte("/dev/null", 16));
    printf("%d\n", first_byte("/dev/zero", 1 << 20));
    return 0;
}
