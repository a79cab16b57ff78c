/* Strings of exactly the inline size are stored on the heap but released as inline. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INLINE = 8 };
struct string {
    size_t size;
    union {
        char local[INLINE];
        char *heap;
    } u;
};

static int string_init(struct string *s, const char *text) {
    s->size = strlen(text) + 1;
    char *to = s->u.local;
    if (s->size >= INLINE) {
        to = malloc(s->size);
        if (!to)
            return -1;
        s->u.heap = to;
    }
    memcpy(to, text, s->size);
    return 0;
}

static void string_free(struct string *s) {
#ifdef LEAK
    if (s->size > INLINE)
#else
    if (s->size >= INLINE)
#endif
        free(s->u.heap);
}

int main(void) {
    static const char *const words[] = {"tiny", "sevench", "a long sentence"};
    size_t total = 0;
    for (int i = 0; i < 3; i++) {
        struct string s;
        if (string_init(&s, words[i]))
            continue;
        total += s.size;
        string_free(&s);
    }
    printf("%zu\n", total);
    return 0;
}
