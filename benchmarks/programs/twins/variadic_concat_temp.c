/* The concatenation returns a new string; the intermediate one is lost in the nested call. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *concat(const char *first, ...) {
    va_list list;
    size_t n = strlen(first) + 1;
    va_start(list, first);
    for (const char *s; (s = va_arg(list, const char *));)
        n += strlen(s);
    va_end(list);
    char *out = malloc(n);
    if (!out)
        abort();
    strcpy(out, first);
    va_start(list, first);
    for (const char *s; (s = va_arg(list, const char *));)
        strcat(out, s);
    va_end(list);
    return out;
}

int main(void) {
#ifdef LEAK
    char *url = concat("http://", concat("host", ":80", NULL), "/", NULL);
#else
    char *host = concat("host", ":80", NULL);
    char *url = concat("http://", host, "/", NULL);
    free(host);
#endif
    puts(url);
    free(url);
    return 0;
}
