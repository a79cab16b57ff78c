/* Two arrays grow together; the one for the values is released once too seldom. */
#include <stdio.h>
#include <stdlib.h>

struct columns {
    int *key;
    double *value;
    size_t n, room;
};

static int grow(struct columns *c) {
    size_t room = c->room ? c->room * 2 : 1;
    int *key = realloc(c->key, room * sizeof *key);
    if (!key)
        return -1;
    c->key = key;
    double *value = realloc(c->value, room * sizeof *value);
    if (!value)
        return -1;
    c->value = value;
    c->room = room;
    return 0;
}

static void columns_free(struct columns *c) {
    free(c->key);
#ifdef LEAK
    if (c->n == c->room)
#endif
        free(c->value);
}

int main(void) {
    struct columns c = {NULL, NULL, 0, 0};
    for (int i = 0; i < 5; i++) {
        if (c.n == c.room && grow(&c))
            break;
        c.key[c.n] = i;
        c.value[c.n++] = i / 2.0;
    }
    printf("%zu %zu\n", c.n, c.room);
    columns_free(&c);
    return 0;
}
