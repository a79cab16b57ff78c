/* The function sets its output before it finds the error; the caller releases on success only. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int parse_name(const char *s, char **out) {
    size_t n = strcspn(s, "=");
    *out = strndup(s, n);
    if (!*out)
        return -1;
    if (!s[n]) {
#ifndef LEAK
        free(*out);
        *out = NULL;
#endif
        return -1;
    }
    return (int)n;
}

int main(void) {
    char *name;
    if (parse_name("key=value", &name) >= 0) {
        puts(name);
        free(name);
    }
    if (parse_name("novalue", &name) >= 0) {
        puts(name);
        free(name);
    }
    return 0;
}
