/* An allocator that can be replaced by another one: both release what they are given. */
#include <stdlib.h>
#include <string.h>
struct alloc {
    void *(*get)(size_t);
    void (*put)(void *);
};
static void *std_get(size_t n) {
    return malloc(n);
}
static void std_put(void *p) {
    free(p);
}
static void *zero_get(size_t n) {
    return calloc(1, n);
}
static void zero_put(void *p) {
    if (p)
        free(p);
}
struct alloc current = {std_get, std_put};
void use_zero(void) {
    current.get = zero_get;
    current.put = zero_put;
}
struct box {
    char *text;
    int n;
};
int good(int n) {
    struct box *b = current.get(sizeof *b);
    if (!b)
        return -1;
    b->text = strdup("x");
    if (!b->text) {
        current.put(b);
        return -1;
    }
    if (n > 3) {
        free(b->text);
        current.put(b);
        return -2;
    }
    free(b->text);
    current.put(b);
    return 0;
}
int leak(int n) {
    struct box *b = current.get(sizeof *b);
    if (!b)
        return -1;
    b->text = strdup("x");
    if (!b->text) {
        current.put(b);
        return -1;
    }
    if (n > 3) {
        current.put(b); /* LEAK */
        return -2;
    }
    free(b->text);
    current.put(b);
    return 0;
}

/* Callbacks that release more than the block itself. */
struct kind {
    void (*end)(struct box *);
};

static void end_plain(struct box *b) {
    free(b->text);
    free(b);
}

static void end_counted(struct box *b) {
    if (b->n)
        free(b->text);
    free(b);
}

const struct kind kinds[] = {{end_plain}, {end_counted}};

int by_kind(int kind) {
    struct box *b = malloc(sizeof *b);
    if (!b)
        return -1;
    b->n = 1;
    b->text = strdup("x");
    kinds[kind].end(b);
    return 0;
}
