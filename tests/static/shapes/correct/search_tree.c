#include "../nodes.h"

static void drop(Tree *t) {
    if (!t)
        return;
    drop(t->left);
    drop(t->right);
    free(t);
}
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
    drop(r);
    return 0;
}
