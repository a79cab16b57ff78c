/* The loop ends with a break when the match is found; that copy is not released. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int find(const char *const *route, int n, const char *wanted) {
    int found = -1;
    for (int i = 0; i < n; i++) {
        char *path = strdup(route[i]);
        if (!path)
            return -1;
        char *query = strchr(path, '?');
        if (query)
            *query = '\0';
#ifdef LEAK
        if (!strcmp(path, wanted)) {
            found = i;
            break;
        }
        free(path);
#else
        int same = !strcmp(path, wanted);
        free(path);
        if (same) {
            found = i;
            break;
        }
#endif
    }
    return found;
}

int main(void) {
    static const char *const route[] = {"/index", "/login?next", "/out"};
    printf("%d %d\n", find(route, 3, "/login"), find(route, 3, "/missing"));
    return 0;
}
