/* A whole structure is assigned over another that still owns its text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct title {
    char *text;
    int size;
};

static struct title title_make(const char *text, int size) {
    struct title t = {strdup(text), size};
    return t;
}

static void title_drop(struct title *t) {
    free(t->text);
    t->text = NULL;
}

int main(void) {
    struct title now = title_make("Draft", 10);
    printf("%d %s\n", now.size, now.text ? now.text : "");
    struct title next = title_make("Final", 12);
#ifndef LEAK
    title_drop(&now);
#endif
    now = next;
    printf("%d %s\n", now.size, now.text ? now.text : "");
    title_drop(&now);
    return 0;
}
