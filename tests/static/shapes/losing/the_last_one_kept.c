#include "../nodes.h"

int main(void) {
    Node *h = NULL;
    while (more()) {
        Node *x = malloc(sizeof *x);
        if (!x)
            abort();
        x->next = h;
        h = x;
    }
    while (h && h->next) {
        Node *n = h->next;
        free(h);
        h = n;
    }
    return 0;
}
