/* The line buffer of getline is reset to null in each round, so that the lines are lost. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    static char text[] = "one\ntwo two\nthree\n";
    FILE *in = fmemopen(text, sizeof text - 1, "r");
    if (!in)
        return 0;
    char *line = NULL;
    size_t room = 0;
    ssize_t n, total = 0;
    while ((n = getline(&line, &room, in)) > 0) {
        total += n;
#ifdef LEAK
        line = NULL;
        room = 0;
#endif
    }
    printf("%zd\n", total);
    free(line);
    fclose(in);
    return 0;
}
