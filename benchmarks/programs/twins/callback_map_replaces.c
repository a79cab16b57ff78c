/* The mapping callback returns a new string for the old one, which nobody releases. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef char *mapper(char *);

static char *upper(char *s) {
    for (char *p = s; *p; p++)
        *p = (char)toupper((unsigned char)*p);
    return s;
}

static char *quoted(char *s) {
    char *q = malloc(strlen(s) + 3);
    if (!q)
        return s;
    sprintf(q, "\"%s\"", s);
#ifndef LEAK
    free(s);
#endif
    return q;
}

static char *apply(char *s, mapper *const *maps) {
    while (s && *maps)
        s = (*maps++)(s);
    return s;
}

int main(void) {
    mapper *const chain[] = {upper, quoted, upper, NULL};
    char *s = apply(strdup("text"), chain);
    puts(s ? s : "?");
    free(s);
    return 0;
}
