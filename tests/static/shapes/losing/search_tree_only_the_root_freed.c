#include "../nodes.h"

int main(void) {
    Tree *r = NULL;
    while (more()) {
        Tree *x = malloc(sizeof *x);
        if (!x)
            abort();
        x->left = x->right = NULL;
        if (!r) {
            r = x;
            continue;
        }
        Tree *p = r;
        for (;;) {
            if (more()) {
                if (!p->left) {
                    p->left = x;
                    break;
                }
                p = p->left;
            } else {
                if (!p->right) {
                    p->right = x;
                    break;
                }
                p = p->right;
            }
        }
    }
    free(r);
    return 0;
}
