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
    return 0;
}
