/* Texts, each held by one box. A faulty cache keeps the pointer of one instead of a copy. */
#include <stdlib.h>
#include <string.h>

struct box {
    int number;
    char *text;
};

struct cache { /* the specification does not know it */
    char *last;
};

static struct box *boxes[20];
static struct cache *cache;

static char *copy_of(const char *text) {
    char *copy = malloc(strlen(text) + 1);
    return strcpy(copy, text);
}

static void fill(struct box *box, const char *text) {
    free(box->text);
    box->text = copy_of(text);
}

static void grow(struct box *box) {
    box->text = realloc(box->text, strlen(box->text) + 20);
    strcat(box->text, " and more");
}

/* The text of one goes to the other. */
static void move(struct box *from, struct box *to) {
    free(to->text);
    to->text = from->text;
    from->text = NULL;
}

static void remember(struct box *box) {
    free(cache->last);
    cache->last = NULL;
    if (FAULT && box->number == 13)
        cache->last = box->text; /* faulty */
    else
        cache->last = copy_of(box->text);
}

int main(void) {
    cache = calloc(1, sizeof *cache);
    for (int i = 0; i < 20; ++i) {
        boxes[i] = calloc(1, sizeof *boxes[i]);
        boxes[i]->number = i;
        fill(boxes[i], "a text");
        if (i % 3 == 0)
            grow(boxes[i]);
        if (i % 5 == 4)
            move(boxes[i - 1], boxes[i]);
        if (boxes[i]->text && !(FAULT && i > 13)) /* or the box's text would be freed */
            remember(boxes[i]);
    }
    return 0;
}
