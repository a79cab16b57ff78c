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
int main(void) {
    Node *h = build(more());
    h = NULL;
    return 0;
}
