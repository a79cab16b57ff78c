#include "../nodes.h"

static Node *reversed(Node *h) {
    Node *r = NULL;
    while (h) {
        Node *n = h->next;
        h->next = r;
        r = h;
        h = n;
    }
    return r;
}
int main(void) {
    Node *h = NULL;
    while (more()) {
        Node *x = malloc(sizeof *x);
        if (!x)
            abort();
        x->next = h;
        h = x;
    }
    h = reversed(h);
    while (h) {
        Node *n = h->next;
        free(h);
        h = n;
    }
    return 0;
}
