/* The directory is not closed when the wanted entry was found. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

static int contains(const char *path, const char *name) {
    DIR *d = opendir(path);
    if (!d)
        return -1;
    for (struct dirent *e; (e = readdir(d));) {
        if (!strcmp(e->d_name, name)) {
#ifndef LEAK
            closedir(d);
#endif
            return 1;
        }
    }
    closedir(d);
    return 0;
}

int main(void) {
    printf("%d %d\n", contains("/", "."), contains("/", "no such entry"));
    return 0;
}
