/* The scanner fills the pointers it is given; on a bad format the filled ones are not released. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int scan(const char *line, int wanted, ...) {
    char **filled[4];
    int n = 0;
    va_list list;
    va_start(list, wanted);
    while (n < wanted && n < 4 && *line) {
        size_t length = strcspn(line, " ");
        filled[n] = va_arg(list, char **);
        *filled[n] = strndup(line, length);
        n++;
        line += length + (line[length] == ' ');
    }
    va_end(list);
    if (n < wanted) {
#ifdef LEAK
        for (int i = 0; i < n; i++)
            *filled[i] = NULL;
#else
        while (n > 0)
            free(*filled[--n]);
#endif
        return -1;
    }
    return n;
}

int main(void) {
    char *verb = NULL, *path = NULL;
    if (scan("GET /home", 2, &verb, &path) == 2) {
        printf("%s %s\n", verb ? verb : "", path ? path : "");
        free(verb);
        free(path);
    }
    printf("%d\n", scan("GET", 2, &verb, &path));
    return 0;
}
