/* The temporary stream is not closed when its header is wrong. */
// leaks a stream
#include <stdio.h>
#include <string.h>

static int read_header(const char *content) {
    char line[32];
    FILE *f = tmpfile();
    if (!f)
        return -1;
    fputs(content, f);
    rewind(f);
    if (!fgets(line, sizeof line, f)) {
        fclose(f);
        return -1;
    }
    if (strncmp(line, "P5", 2)) {
#ifndef LEAK
        fclose(f);
#endif
        return -1;
    }
    fclose(f);
    return 0;
}

int main(void) {
    printf("%d %d %d\n", read_header("P5\n"), read_header("GIF\n"), read_header(""));
    return 0;
}
