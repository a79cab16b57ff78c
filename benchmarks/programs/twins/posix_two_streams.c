/* When the second stream cannot be opened the first stays open. */
// leaks a stream
#include <stdio.h>

static long copy(const char *from, const char *to) {
    FILE *in = fopen(from, "r");
    if (!in)
        return -1;
    FILE *out = fopen(to, "w");
    if (!out) {
#ifndef LEAK
        fclose(in);
#endif
        return -1;
    }
    long n = 0;
    for (int c; (c = getc(in)) != EOF; n++)
        putc(c, out);
    fclose(in);
    fclose(out);
    return n;
}

int main(void) {
    printf("%ld\n", copy("/dev/null", "/dev/null"));
    printf("%ld\n", copy("/dev/null", "/nonexistent/file"));
    return 0;
}
