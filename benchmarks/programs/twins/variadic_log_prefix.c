/* The extended format string is not released when there is nothing to log to. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sink {
    char *to;
    size_t size;
};

static int log_to(struct sink *s, const char *prefix, const char *format, ...) {
    char *full = malloc(strlen(prefix) + strlen(format) + 3);
    if (!full)
        return -1;
    sprintf(full, "%s: %s", prefix, format);
    int n = 0;
    if (s) {
        va_list list;
        va_start(list, format);
        n = vsnprintf(s->to, s->size, full, list);
        va_end(list);
#ifdef LEAK
        free(full);
#endif
    }
#ifndef LEAK
    free(full);
#endif
    return n;
}

int main(void) {
    char line[64];
    struct sink s = {line, sizeof line};
    log_to(&s, "net", "%d bytes from %s", 12, "peer");
    puts(line);
    printf("%d\n", log_to(NULL, "net", "%d bytes", 1));
    return 0;
}
