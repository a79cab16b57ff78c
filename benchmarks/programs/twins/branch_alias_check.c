/* The normalised path may be the input itself; it is released only in that case. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *normalised(char *path) {
    size_t n = strlen(path);
    if (n == 0 || path[n - 1] == '/')
        return path;
    char *with_slash = malloc(n + 2);
    if (!with_slash)
        return path;
    memcpy(with_slash, path, n);
    strcpy(with_slash + n, "/");
    return with_slash;
}

static size_t depth(const char *given) {
    char *path = strdup(given);
    if (!path)
        return 0;
    char *full = normalised(path);
    size_t n = 0;
    for (char *p = full; *p; p++)
        n += *p == '/';
#ifdef LEAK
    if (full == path)
        free(full);
    else
        free(path);
#else
    if (full != path)
        free(full);
    free(path);
#endif
    return n;
}

int main(void) {
    printf("%zu %zu\n", depth("/a/b/"), depth("/a/b/c"));
    return 0;
}
