/* The argument vector is released, but not the copies of the arguments in it. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAXIMUM = 6 };

static int launch(const char *program, ...) {
    char **argv = calloc(MAXIMUM + 1, sizeof *argv);
    if (!argv)
        return -1;
    int n = 0, length = 0;
    va_list list;
    va_start(list, program);
    for (const char *a = program; a && n < MAXIMUM; a = va_arg(list, const char *))
        if ((argv[n] = strdup(a)))
            n++;
    va_end(list);
    for (int i = 0; i < n; i++)
        length += (int)strlen(argv[i]);
#ifdef LEAK
    for (int i = 1; i < n; i++)
#else
    for (int i = 0; i < n; i++)
#endif
        free(argv[i]);
    free(argv);
    return length;
}

int main(void) {
    printf("%d\n", launch("tar", "-x", "-f", "a.tar", (char *)NULL));
    return 0;
}
