#include "../nodes.h"

static Node *without(Node *h, int v) {
    Node **p = &h;
    while (*p) {
        if ((*p)->value == v)
            *p = (*p)->next;
        else
            p = &(*p)->next;
    }
    return h;
}
static void drop(Node *h) {
    while (h) {
        Node *n = h->next;
        free(h);
        h = n;
    }
}
int main(void) {
    Node *h = NULL;
    while (more()) {
        Node *x = malloc(sizeof *x);
        if (!x)
            abort();
        x->value = more();
        x->next = h;
        h = x;
    }
    h = without(h, 3);
    drop(h);
    return 0;
}
