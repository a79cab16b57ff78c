/* The cleanup of the builder runs on an old copy; the text grown later is lost. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct builder {
    char *text;
    size_t length;
};

static void builder_drop(struct builder *b) {
    free(b->text);
    b->text = NULL;
}

static void add(struct builder *b, const char *s) {
    size_t n = strlen(s);
    char *bigger = realloc(b->text, b->length + n + 1);
    if (!bigger)
        return;
    memcpy(bigger + b->length, s, n + 1);
    b->text = bigger;
    b->length += n;
}

static size_t build(void) {
    __attribute__((cleanup(builder_drop))) struct builder b = {NULL, 0};
#ifdef LEAK
    struct builder work = b;
    add(&work, "alpha");
    add(&work, "beta");
    return work.length;
#else
    add(&b, "alpha");
    add(&b, "beta");
    return b.length;
#endif
}

int main(void) {
    printf("%zu\n", build());
    return 0;
}
