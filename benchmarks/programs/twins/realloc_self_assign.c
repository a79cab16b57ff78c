/* The result of realloc is assigned to the only pointer; when it fails the old block is lost. */
// needs a failing allocation
#include <stdio.h>
#include <stdlib.h>

struct vector {
    int *at;
    size_t n, room;
};

static int push(struct vector *v, int value) {
    if (v->n == v->room) {
        size_t room = v->room ? 2 * v->room : 2;
#ifdef LEAK
        v->at = realloc(v->at, room * sizeof *v->at);
        if (!v->at)
            return -1;
#else
        int *at = realloc(v->at, room * sizeof *at);
        if (!at)
            return -1;
        v->at = at;
#endif
        v->room = room;
    }
    v->at[v->n++] = value;
    return 0;
}

int main(void) {
    struct vector v = {NULL, 0, 0};
    for (int i = 0; i < 9; i++)
        if (push(&v, i))
            break;
    printf("%zu\n", v.n);
    free(v.at);
    return 0;
}
