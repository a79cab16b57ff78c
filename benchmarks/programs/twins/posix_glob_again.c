/* A second glob without append overwrites the result of the first. */
#include <glob.h>
#include <stdio.h>

int main(void) {
    glob_t found;
    size_t n = 0;
    if (glob("/etc*", 0, NULL, &found) == 0)
        n = found.gl_pathc;
    else
        return 0;
    printf("%d\n", n > 0);
#ifndef LEAK
    globfree(&found);
#endif
    if (glob("/usr*", 0, NULL, &found) == 0) {
        printf("%d\n", found.gl_pathc > 0);
        globfree(&found);
    }
    return 0;
}
