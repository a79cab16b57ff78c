/* The value is duplicated for setenv, which makes a copy of its own. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int export_path(const char *directory) {
    char *value;
    if (asprintf(&value, "%s/bin", directory) < 0)
        return -1;
#ifdef LEAK
    int failed = setenv("TOOL_PATH", strdup(value), 1);
#else
    int failed = setenv("TOOL_PATH", value, 1);
#endif
    free(value);
    return failed;
}

int main(void) {
    if (export_path("/opt/tool") == 0)
        puts(getenv("TOOL_PATH"));
    unsetenv("TOOL_PATH");
    return 0;
}
