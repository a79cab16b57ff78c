/* Finishing the builder gives out a copy of its text and forgets the text itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct builder {
    char *text;
    size_t n, room;
};

static void put(struct builder *b, char c) {
    if (b->n + 2 > b->room) {
        size_t room = b->room ? 2 * b->room : 8;
        char *text = realloc(b->text, room);
        if (!text)
            return;
        b->text = text;
        b->room = room;
    }
    b->text[b->n++] = c;
    b->text[b->n] = '\0';
}

static char *finish(struct builder *b) {
#ifdef LEAK
    char *text = b->text ? strdup(b->text) : strdup("");
#else
    char *text = b->text ? b->text : strdup("");
#endif
    *b = (struct builder){NULL, 0, 0};
    return text;
}

int main(void) {
    struct builder b = {NULL, 0, 0};
    for (char c = 'a'; c < 'm'; c++)
        put(&b, c);
    char *text = finish(&b);
    puts(text ? text : "?");
    free(text);
    return 0;
}
