/* An AVL tree whose left rotation takes the wrong subtree. */
#include <stdlib.h>

struct avl {
    int key, height;
    struct avl *left, *right;
};

static struct avl *root;

static int height(const struct avl *t) {
    return t ? t->height : -1;
}
static void update(struct avl *t) {
    int left = height(t->left), right = height(t->right);
    t->height = 1 + (left > right ? left : right);
}
static struct avl *rotate_right(struct avl *t) {
    struct avl *l = t->left;
    t->left = l->right;
    l->right = t;
    update(t);
    update(l);
    return l;
}
static struct avl *rotate_left(struct avl *t) {
    struct avl *r = t->right;
    t->right = FAULT ? r->right : r->left; /* faulty */
    r->left = t;
    update(t);
    update(r);
    return r;
}
/* Rebalances without writing a field itself: the rotations inside it are no ends of an operation.
 */
static struct avl *balance(struct avl *t) {
    int difference = height(t->left) - height(t->right);
    if (difference > 1) {
        if (height(t->left->left) < height(t->left->right))
            t->left = rotate_left(t->left);
        return rotate_right(t);
    }
    if (difference < -1) {
        if (height(t->right->right) < height(t->right->left))
            t->right = rotate_right(t->right);
        return rotate_left(t);
    }
    return t;
}
static struct avl *insert(struct avl *t, int key) {
    if (!t) {
        t = malloc(sizeof *t);
        t->key = key;
        t->height = 0;
        t->left = t->right = NULL;
        return t;
    }
    if (key < t->key)
        t->left = insert(t->left, key);
    else
        t->right = insert(t->right, key);
    update(t);
    return balance(t);
}
static void add(int key) {
    root = insert(root, key);
}

int main(void) {
    for (int i = 0; i < 12; i++)
        add(i * 7 % 12);
    return 0;
}
