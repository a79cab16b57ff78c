/* The lines that getline reads are kept in a list, but the buffer of the failed last call is not.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    static char text[] = "red\ngreen\nblue\n";
    FILE *in = fmemopen(text, sizeof text - 1, "r");
    if (!in)
        return 0;
    char *kept[8], *line = NULL;
    size_t n = 0, room = 0;
    while (n < 8 && getline(&line, &room, in) != -1) {
        kept[n++] = line;
        line = NULL;
        room = 0;
    }
#ifndef LEAK
    free(line);
#endif
    fclose(in);
    printf("%zu\n", n);
    while (n > 0)
        free(kept[--n]);
    return 0;
}
