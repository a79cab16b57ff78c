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
        x->left = r;
        x->right = NULL;
        r = x;
    }
    if (r)
        drop(r->left);
    return 0;
}
