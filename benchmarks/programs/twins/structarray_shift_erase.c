/* Erasing a row shifts the others down over it before its text was released. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
    char *text;
    int height;
};
struct table {
    struct row row[8];
    int rows;
};

static void append(struct table *t, const char *text, int height) {
    char *copy = strdup(text);
    if (copy)
        t->row[t->rows++] = (struct row){copy, height};
}

static void erase(struct table *t, int at) {
#ifndef LEAK
    free(t->row[at].text);
#endif
    memmove(t->row + at, t->row + at + 1, (size_t)(t->rows - at - 1) * sizeof *t->row);
    t->rows--;
}

int main(void) {
    struct table t = {.rows = 0};
    append(&t, "alpha", 1);
    append(&t, "beta", 2);
    append(&t, "gamma", 3);
    if (t.rows == 3)
        erase(&t, 1);
    for (int i = 0; i < t.rows; i++) {
        puts(t.row[i].text);
        free(t.row[i].text);
    }
    return 0;
}
