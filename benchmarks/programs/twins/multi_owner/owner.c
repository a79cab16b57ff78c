/* The shelf holds two books at most; a third is sent away. */
#include "owner.h"
#include <stdlib.h>
#include <string.h>

static struct book *shelf[2];

struct book *book_new(const char *title) {
    struct book *b = malloc(sizeof *b);
    if (!b)
        abort();
    b->title = strdup(title);
    if (!b->title)
        abort();
    return b;
}

void book_free(struct book *b) {
    if (b)
        free(b->title);
    free(b);
}

void shelf_keep(struct book *b) {
    for (int i = 0; i < 2; i++)
        if (!shelf[i]) {
            shelf[i] = b;
            return;
        }
    book_free(b);
}

int reader_read(const struct book *b) {
    return (int)strlen(b->title);
}

void shelf_clear(void) {
    for (int i = 0; i < 2; i++) {
        book_free(shelf[i]);
        shelf[i] = NULL;
    }
}
