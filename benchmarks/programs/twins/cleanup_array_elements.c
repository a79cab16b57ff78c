/* The cleanup releases the vector of strings without the strings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void strings_free(char ***v) {
    if (!*v)
        return;
#ifndef LEAK
    for (char **p = *v; *p; p++)
        free(*p);
#endif
    free(*v);
}

static int path_depth(const char *path) {
    __attribute__((cleanup(strings_free))) char **part = calloc(8, sizeof *part);
    if (!part)
        return -1;
    int n = 0;
    while (*path && n < 7) {
        size_t length = strcspn(path, "/");
        if (length && !(part[n++] = strndup(path, length)))
            return -1;
        path += length + (path[length] == '/');
    }
    return n;
}

int main(void) {
    printf("%d\n", path_depth("/usr//local/bin"));
    return 0;
}
