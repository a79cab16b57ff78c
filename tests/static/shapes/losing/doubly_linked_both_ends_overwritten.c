#include "../nodes.h"

int main(void) {
    Node *h = malloc(sizeof *h);
    if (!h)
        abort();
    h->prev = h->next = NULL;
    Node *p = h;
    while (more()) {
        Node *x = malloc(sizeof *x);
        if (!x)
            abort();
        x->prev = p;
        x->next = NULL;
        p->next = x;
        p = x;
    }
    p = NULL;
    h = NULL;
    return 0;
}
