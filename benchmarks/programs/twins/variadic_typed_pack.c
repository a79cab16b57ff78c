/* Strings in the packed message are copied, then the message as text replaces the copy. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *pack(const char *types, ...) {
    char *out = strdup("");
    va_list list;
    va_start(list, types);
    for (; out && *types; types++) {
        char number[24];
        const char *piece = number;
        if (*types == 's')
            piece = va_arg(list, const char *);
        else
            snprintf(number, sizeof number, "%d", va_arg(list, int));
        char *longer = malloc(strlen(out) + strlen(piece) + 2);
        if (longer)
            sprintf(longer, "%s%s;", out, piece);
#ifdef LEAK
        if (!longer)
#endif
            free(out);
        out = longer;
    }
    va_end(list);
    return out;
}

int main(void) {
    char *message = pack("sid", "temp", 21, 5);
    puts(message ? message : "?");
    free(message);
    return 0;
}
