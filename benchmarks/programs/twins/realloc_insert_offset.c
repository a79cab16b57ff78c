/* Making room in the gap buffer starts from a null pointer and copies; the old block is lost. */
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
#ifdef LEAK
    char *bigger = realloc(NULL, room);
    if (bigger && g->data)
        memcpy(bigger, g->data, g->used);
#else
    char *bigger = realloc(g->data, room);
#endif
    if (!bigger)
        return -1;
    g->data = bigger;
    g->room = room;
    return 0;
}

int main(void) {
    struct gap g = {NULL, 0, 0};
    for (int i = 0; i < 20; i++) {
        if (reserve(&g, g.used + 8))
            break;
        memmove(g.data + 1, g.data, g.used++);
        g.data[0] = (char)('a' + i);
    }
    printf("%.*s\n", (int)g.used, g.data ? g.data : "");
    free(g.data);
    return 0;
}
