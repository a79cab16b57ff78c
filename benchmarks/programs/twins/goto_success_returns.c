/* The success path returns before the cleanup that the error path reaches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *join(const char *a, const char *b) {
    char *left = strdup(a), *right = strdup(b), *both = NULL;
    if (!left || !right)
        goto fail;
    both = malloc(strlen(left) + strlen(right) + 2);
    if (!both)
        goto fail;
    sprintf(both, "%s/%s", left, right);
#ifdef LEAK
    free(left);
    return both;
#endif
fail:
    free(left);
    free(right);
    return both;
}

int main(void) {
    char *path = join("usr", "lib");
    puts(path ? path : "?");
    free(path);
    return 0;
}
