/* The widget is released through its base, whose function knows nothing of the caption. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct base {
    int id;
    void (*destroy)(struct base *);
};
struct button {
    char *caption;
    struct base base;
};

static void button_destroy(struct base *b) {
    struct button *button = (struct button *)((char *)b - offsetof(struct button, base));
#ifndef LEAK
    free(button->caption);
#endif
    free(button);
}

static struct base *button_new(int id, const char *caption) {
    struct button *b = malloc(sizeof *b);
    if (!b)
        return NULL;
    b->caption = strdup(caption);
    b->base = (struct base){id, button_destroy};
    return &b->base;
}

int main(void) {
    struct base *widgets[] = {button_new(1, "OK"), button_new(2, "Cancel")};
    for (int i = 0; i < 2; i++)
        if (widgets[i]) {
            printf("%d\n", widgets[i]->id);
            widgets[i]->destroy(widgets[i]);
        }
    return 0;
}
