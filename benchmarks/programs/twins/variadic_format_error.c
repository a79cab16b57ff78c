/* The error message is formatted into memory that stays when the level is too low to print it. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static int level = 1;

static char *vformat(const char *format, va_list list) {
    va_list copy;
    va_copy(copy, list);
    int n = vsnprintf(NULL, 0, format, copy);
    va_end(copy);
    char *text = n < 0 ? NULL : malloc((size_t)n + 1);
    if (text)
        vsnprintf(text, (size_t)n + 1, format, list);
    return text;
}

static void note(int severity, const char *format, ...) {
    va_list list;
    va_start(list, format);
    char *text = vformat(format, list);
    va_end(list);
    if (!text)
        return;
#ifdef LEAK
    if (severity < level)
        return;
    puts(text);
#else
    if (severity >= level)
        puts(text);
#endif
    free(text);
}

int main(void) {
    note(2, "disk %s is %d%% full", "sda", 91);
    note(0, "tick %d", 1);
    return 0;
}
