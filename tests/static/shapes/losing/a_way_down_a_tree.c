#include "../nodes.h"

int main(void) {
    Tree *r = malloc(sizeof *r);
    if (!r)
        abort();
    r->left = r->right = NULL;
    Tree *p = r;
    while (more()) {
        Tree *x = malloc(sizeof *x);
        if (!x)
            abort();
        x->left = x->right = NULL;
        if (more())
            p->left = x;
        else
            p->right = x;
        p = x;
    }
    return 0;
}
