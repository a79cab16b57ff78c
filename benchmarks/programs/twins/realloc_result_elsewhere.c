/* The grown block is kept in a local variable; the caller's pointer is replaced by a fresh one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct log {
    char *text;
    size_t length, room;
};

static void append(struct log *l, const char *s) {
    size_t n = strlen(s);
    if (l->length + n + 1 > l->room) {
        size_t room = 2 * (l->length + n + 1);
#ifdef LEAK
        char *text = malloc(room);
        if (text && l->text)
            memcpy(text, l->text, l->length);
#else
        char *text = realloc(l->text, room);
#endif
        if (!text)
            return;
        l->text = text;
        l->room = room;
    }
    memcpy(l->text + l->length, s, n + 1);
    l->length += n;
}

int main(void) {
    struct log l = {NULL, 0, 0};
    for (int i = 0; i < 4; i++)
        append(&l, "line of text;");
    printf("%zu\n", l.length);
    free(l.text);
    return 0;
}
