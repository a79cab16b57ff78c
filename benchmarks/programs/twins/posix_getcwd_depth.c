/* The current directory comes in memory of its own, and is passed on as if it were static. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int depth(const char *path) {
    int n = 0;
    for (; *path; path++)
        n += *path == '/';
    return n;
}

int main(void) {
#ifdef LEAK
    int n = depth(getcwd(NULL, 0));
#else
    char *here = getcwd(NULL, 0);
    int n = here ? depth(here) : 0;
    free(here);
#endif
    printf("%d\n", n > 0);
    return 0;
}
