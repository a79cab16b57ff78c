/* Parent and child hold references to each other; the child's should be weak. */
#include <stdio.h>
#include <stdlib.h>

struct node {
    int references;
    struct node *parent, *child;
};

static struct node *node_new(void) {
    struct node *n = calloc(1, sizeof *n);
    if (!n)
        abort();
    n->references = 1;
    return n;
}

static void unref(struct node *n) {
    if (!n || --n->references)
        return;
    unref(n->child);
#ifdef LEAK
    unref(n->parent);
#endif
    free(n);
}

static void adopt(struct node *parent, struct node *child) {
    child->references++;
    parent->child = child;
    child->parent = parent;
#ifdef LEAK
    parent->references++;
#endif
}

int main(void) {
    struct node *parent = node_new(), *child = node_new();
    adopt(parent, child);
    printf("%d\n", child->references);
    unref(child);
    unref(parent);
    return 0;
}
