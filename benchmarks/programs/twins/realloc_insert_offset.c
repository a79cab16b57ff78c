/* The gap buffer reallocates from a pointer it has just replaced with null. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gap {
    char *data;
    size_t used, room;
};

static int reserve(struct gap *g, size_t room) {
    if (room <= g->room)
        return 0;
    char *old = g->data;
    g->data = NULL;
#ifdef LEAK
    g->data = realloc(g->data, room);
#else
    g->data = realloc(old, room);
#endif
    if (!g->data) {
        g->data = old;
        return -1;
    }
#ifdef LEAK
    if (old)
        memcpy(g->data, old, g->used);
#endif
    g->room = room;
    return 0;
}

int main(void) {
    struct gap g = {NULL, 0, 0};
    for (int i = 0; i < 20; i++) {
        if (reserve(&g, g.used + 8))
            break;
        g.data[g.used++] = (char)('a' + i);
    }
    printf("%.*s\n", (int)g.used, g.data ? g.data : "");
    free(g.data);
    return 0;
}
