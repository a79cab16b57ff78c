#include "../nodes.h"

int main(void) {
    Node *a = NULL, *b = NULL;
    while (more()) {
        Node *x = malloc(sizeof *x);
        if (!x)
            abort();
        if (more()) {
            x->next = a;
            a = x;
        } else {
            x->next = b;
            b = x;
        }
    }
    while (a) {
        Node *n = a->next;
        free(a);
        a = n;
    }
    return 0;
}
