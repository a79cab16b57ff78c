/* The trimmed part of the copy is duplicated again for the caller, the copy stays. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *trimmed(const char *s) {
    char *copy = strdup(s);
    if (!copy)
        return NULL;
    char *start = copy;
    while (isspace((unsigned char)*start))
        start++;
    for (size_t n = strlen(start); n && isspace((unsigned char)start[n - 1]); n--)
        start[n - 1] = '\0';
    if (start == copy)
        return copy;
    char *result = strdup(start);
#ifndef LEAK
    free(copy);
#endif
    return result;
}

int main(void) {
    char *a = trimmed("x  "), *b = trimmed("  y ");
    printf("[%s][%s]\n", a ? a : "", b ? b : "");
    free(a);
    free(b);
    return 0;
}
