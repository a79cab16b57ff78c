#include "../nodes.h"

int main(void) {
    Node *h = NULL;
    for (int i = 0; i < 10; i++) {
        Node *x = malloc(sizeof *x);
        if (!x)
            return 1;
        x->next = h;
        h = x;
    }
    while (h) {
        Node *n = h->next;
        free(h);
        h = n;
    }
    return 0;
}
