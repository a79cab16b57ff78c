#include "../nodes.h"

int main(void) {
    Node *h = malloc(sizeof *h);
    if (!h)
        abort();
    h->prev = h->next = h;
    while (more()) {
        Node *x = malloc(sizeof *x);
        if (!x)
            abort();
        x->next = h->next;
        x->prev = h;
        h->next->prev = x;
        h->next = x;
    }
    Node *p = h->next;
    while (p != h) {
        Node *q = p->next;
        free(p);
        p = q;
    }
    free(h);
    return 0;
}
