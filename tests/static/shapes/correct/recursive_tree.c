#include "../nodes.h"

static Tree *build(int d) {
    if (d <= 0)
        return NULL;
    Tree *t = malloc(sizeof *t);
    if (!t)
        abort();
    t->left = build(d - 1);
    t->right = build(d - 1);
    return t;
}
static void drop(Tree *t) {
    if (!t)
        return;
    drop(t->left);
    drop(t->right);
    free(t);
}
int main(void) {
    Tree *t = build(more());
    drop(t);
    return 0;
}
