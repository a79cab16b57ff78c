/* The log stream is opened anew for each message over the open one. */
// leaks a stream
#include <stdio.h>

static FILE *sink;

static int begin(const char *path) {
#ifndef LEAK
    if (sink)
        fclose(sink);
#endif
    sink = fopen(path, "w");
    return sink ? 0 : -1;
}

int main(void) {
    for (int i = 0; i < 3; i++)
        if (begin("/dev/null") == 0)
            fprintf(sink, "message %d\n", i);
    if (sink)
        fclose(sink);
    sink = NULL;
    return 0;
}
