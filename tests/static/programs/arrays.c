#include <stdlib.h>
#include <string.h>
void good_array(int n) {
    char **a = calloc((size_t)n, sizeof *a);
    if (!a)
        return;
    for (int i = 0; i < n; i++)
        a[i] = strdup("x");
    for (int i = 0; i < n; i++)
        free(a[i]);
    free(a);
}
void leak_array(int n) {
    char **a = calloc((size_t)n, sizeof *a);
    if (!a)
        return;
    for (int i = 0; i < n; i++)
        a[i] = strdup("x");
    free(a); /* LEAK */
}
void good_known_index(void) {
    char *a[2];
    a[0] = strdup("x");
    a[1] = strdup("y");
    free(a[0]);
    free(a[1]);
}
void leak_known_index(void) {
    char *a[2];
    a[0] = strdup("x");
    a[1] = strdup("y");
    free(a[0]);
} /* LEAK */
struct item {
    char *name;
    int n;
};
void good_items(int n) {
    struct item *v = malloc(sizeof *v * (size_t)n);
    if (!v)
        return;
    for (int i = 0; i < n; i++)
        v[i].name = strdup("x");
    for (int i = 0; i < n; i++)
        free(v[i].name);
    free(v);
}

static const struct {
    int kind;
    long size;
    const char *text;
} magics[] = {{1, 2, "ab"}, {2, 3, "abc"}}; /* the last brace is the structure's, not the array's */

char *good_magic(int i)
{
    char *copy = malloc(magics[i].size);
    if (copy)
        memcpy(copy, magics[i].text, magics[i].size);
    return copy;
}
