/* Each level releases the paths of its children, except where they are leaves. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int visit(const char *path, int depth) {
    if (depth == 0) {
        puts(path);
        return 1;
    }
    int n = 0;
    for (int i = 0; i < 2; i++) {
        char *child = malloc(strlen(path) + 3);
        if (!child)
            return n;
        sprintf(child, "%s/%c", path, 'a' + i);
        n += visit(child, depth - 1);
#ifdef LEAK
        if (depth == 1)
            continue;
#endif
        free(child);
    }
    return n;
}

int main(void) {
    printf("%d\n", visit("", 2));
    return 0;
}
