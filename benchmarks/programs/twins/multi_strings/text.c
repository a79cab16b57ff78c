/* New texts of old ones. */
#include "text.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

char *text_join(const char *a, const char *b, char between) {
    size_t n = strlen(a);
    char *out = malloc(n + strlen(b) + 2);
    if (!out)
        abort();
    memcpy(out, a, n);
    out[n] = between;
    strcpy(out + n + 1, b);
    return out;
}

char *text_upper(const char *s) {
    char *out = strdup(s);
    if (!out)
        abort();
    for (char *p = out; *p; p++)
        *p = (char)toupper((unsigned char)*p);
    return out;
}
