/* The array from scandir is released without the entries in it. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

static int visible(const struct dirent *e) {
    return e->d_name[0] == '.';
}

int main(void) {
    struct dirent **list = NULL;
    int n = scandir("/", &list, visible, alphasort);
    if (n < 0)
        return 0;
    puts(n > 0 ? list[0]->d_name : "none");
#ifndef LEAK
    for (int i = 0; i < n; i++)
        free(list[i]);
#endif
    free(list);
    return 0;
}
