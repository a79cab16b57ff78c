#include "../nodes.h"

int main(void) {
    Node *h = malloc(sizeof *h);
    if (!h)
        abort();
    Node *p = h;
    while (more()) {
        p->next = malloc(sizeof *p);
        if (!p->next)
            abort();
        p = p->next;
    }
    p->next = NULL;
    free(h);
    return 0;
}
