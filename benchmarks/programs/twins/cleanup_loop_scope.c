/* The break comes before the ownership is handed to the variable that cleans up. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void free_text(char **p) {
    free(*p);
}

static int count_until(const char *const *lines, const char *end) {
    int n = 0;
    for (; *lines; lines++) {
#ifdef LEAK
        char *raw = strdup(*lines);
        if (!raw || !strcmp(raw, end))
            break;
        __attribute__((cleanup(free_text))) char *line = raw;
#else
        __attribute__((cleanup(free_text))) char *line = strdup(*lines);
        if (!line || !strcmp(line, end))
            break;
#endif
        n += line[0] != '\0';
    }
    return n;
}

int main(void) {
    static const char *const lines[] = {"From: a", "To: b", ".", "body", NULL};
    printf("%d\n", count_until(lines, "."));
    return 0;
}
