/* Shrinking the array cuts off elements that still own their names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct set {
    char **name;
    size_t n;
};

static int resize(struct set *s, size_t n) {
#ifndef LEAK
    for (size_t i = n; i < s->n; i++)
        free(s->name[i]);
#endif
    if (s->n > n)
        s->n = n;
    char **name = realloc(s->name, (n ? n : 1) * sizeof *name);
    if (!name)
        return -1;
    s->name = name;
    while (s->n < n)
        s->name[s->n++] = strdup("new");
    return 0;
}

int main(void) {
    struct set s = {NULL, 0};
    resize(&s, 5);
    resize(&s, 2);
    printf("%zu\n", s.n);
    for (size_t i = 0; i < s.n; i++)
        free(s.name[i]);
    free(s.name);
    return 0;
}
