/* Without a place to put the remainder, the remainder is made all the same and lost. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *cut(const char *text, char at, char **rest) {
    const char *p = strchr(text, at);
    char *tail = p ? strdup(p + 1) : NULL;
    if (rest)
        *rest = tail;
#ifndef LEAK
    else
        free(tail);
#endif
    return p ? strndup(text, (size_t)(p - text)) : strdup(text);
}

int main(void) {
    char *rest = NULL;
    char *a = cut("user@host", '@', &rest), *b = cut("name.ext", '.', NULL);
    printf("%s %s %s\n", a ? a : "", rest ? rest : "", b ? b : "");
    free(a);
    free(rest);
    free(b);
    return 0;
}
