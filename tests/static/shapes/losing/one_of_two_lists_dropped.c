#include "../nodes.h"

static Node *build(int n) {
    Node *h = NULL;
    for (int i = 0; i < n; i++) {
        Node *x = malloc(sizeof *x);
        if (!x)
            abort();
        x->next = h;
        h = x;
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
    Node *a = build(3);
    Node *b = build(more());
    drop(a);
    a = b;
    b = build(2);
    drop(b);
    return 0;
}
