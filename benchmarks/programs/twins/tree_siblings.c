/* Of a tree with first child and next sibling only the children are released. */
#include <stdio.h>
#include <stdlib.h>

struct element {
    const char *tag;
    struct element *child, *sibling;
};

static struct element *element(const char *tag, struct element *child, struct element *sibling) {
    struct element *e = malloc(sizeof *e);
    if (!e)
        abort();
    *e = (struct element){tag, child, sibling};
    return e;
}

static void drop(struct element *e) {
    while (e) {
        struct element *next = e->sibling;
        drop(e->child);
        free(e);
#ifdef LEAK
        next = NULL;
#endif
        e = next;
    }
}

static int count(const struct element *e) {
    return e ? 1 + count(e->child) + count(e->sibling) : 0;
}

int main(void) {
    struct element *page = element(
        "html", element("head", NULL, element("body", element("p", NULL, NULL), NULL)), NULL);
    printf("%d\n", count(page));
    drop(page);
    return 0;
}
