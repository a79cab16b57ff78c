/* The copy for writing is made of a shared buffer whose own count is not lowered. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct buffer {
    int references;
    char data[16];
};

static struct buffer *writable(struct buffer *b) {
    if (b->references == 1)
        return b;
    struct buffer *copy = malloc(sizeof *copy);
    if (!copy)
        abort();
    memcpy(copy, b, sizeof *copy);
    copy->references = 1;
#ifndef LEAK
    b->references--;
#endif
    return copy;
}

static void drop(struct buffer *b) {
    if (--b->references == 0)
        free(b);
}

int main(void) {
    struct buffer *a = calloc(1, sizeof *a);
    if (!a)
        return 0;
    a->references = 2;
    struct buffer *b = a;
    b = writable(b);
    strcpy(b->data, "changed");
    a = writable(a);
    printf("[%s] [%s]\n", a->data, b->data);
    drop(a);
    drop(b);
    return 0;
}
