/* The slots of the global table are released through a stale count. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *interned[16];
static int interned_count, interned_flushed;

static const char *intern(const char *s) {
    for (int i = 0; i < interned_count; i++)
        if (!strcmp(interned[i], s))
            return interned[i];
    char *copy = strdup(s);
    if (copy && interned_count < 16)
        return interned[interned_count++] = copy;
    free(copy);
    return "";
}

static void flush(void) {
#ifdef LEAK
    for (int i = 0; i < interned_flushed; i++) {
#else
    for (int i = 0; i < interned_count; i++) {
#endif
        free(interned[i]);
    }
    memset(interned, 0, sizeof interned);
    interned_flushed = interned_count;
    interned_count = 0;
}

int main(void) {
    const char *a = intern("x"), *b = intern("y"), *c = intern("x");
    printf("%d %d\n", a == c, a == b);
    flush();
    intern("z");
    flush();
    return 0;
}
