/* The comparison makes folded copies of both words and releases one. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *folded(const char *s) {
    char *f = strdup(s);
    if (!f)
        abort();
    for (char *p = f; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    return f;
}

static int compare(const void *a, const void *b) {
    char *left = folded(*(char *const *)a), *right = folded(*(char *const *)b);
    int order = strcmp(left, right);
    free(left);
#ifndef LEAK
    free(right);
#endif
    return order;
}

int main(void) {
    const char *words[] = {"Pear", "apple", "Fig"};
    qsort(words, 3, sizeof *words, compare);
    for (int i = 0; i < 3; i++)
        puts(words[i]);
    return 0;
}
