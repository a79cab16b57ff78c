/* The pointer given to strsep ends as null and is then released instead of the copy. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fields(const char *line) {
    char *copy = strdup(line);
    if (!copy)
        return -1;
    char *rest = copy;
    int n = 0;
    for (char *field; (field = strsep(&rest, ",;"));)
        n += *field != '\0';
#ifdef LEAK
    free(rest);
#else
    free(copy);
#endif
    return n;
}

int main(void) {
    printf("%d %d\n", fields("a,b;;c"), fields("x"));
    return 0;
}
