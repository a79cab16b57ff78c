/* Released nodes go to a free list; the node taken from it is replaced by a fresh one. */
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};
static struct node *spare;

static struct node *node_new(int value) {
    struct node *n = spare;
    if (n)
        spare = n->next;
#ifdef LEAK
    n = malloc(sizeof *n);
#else
    else
        n = malloc(sizeof *n);
#endif
    if (n) {
        n->value = value;
        n->next = NULL;
    }
    return n;
}

static void node_free(struct node *n) {
    if (n) {
        n->next = spare;
        spare = n;
    }
}

int main(void) {
    for (int i = 0; i < 4; i++) {
        struct node *a = node_new(i), *b = node_new(-i);
        printf("%d\n", a && b ? a->value + b->value : 0);
        node_free(a);
        node_free(b);
    }
    while (spare) {
        struct node *n = spare;
        spare = n->next;
        free(n);
    }
    return 0;
}
