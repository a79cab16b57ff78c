/* An AVL tree: rotations change several pointers per insertion, and an erased leaf stays behind as
 * a dangling pointer for a moment. */
#include <stdlib.h>

struct node {
    struct node *left, *right;
    int key, height;
};

static struct node *root;

static int height(const struct node *node) {
    return node ? node->height : 0;
}

static void measure(struct node *node) {
    int left = height(node->left), right = height(node->right);
    node->height = 1 + (left > right ? left : right);
}

static struct node *rotate_right(struct node *top) {
    struct node *rising = top->left;
    top->left = rising->right;
    rising->right = top;
    measure(top);
    measure(rising);
    return rising;
}

static struct node *rotate_left(struct node *top) {
    struct node *rising = top->right;
    top->right = rising->left;
    rising->left = top;
    measure(top);
    measure(rising);
    return rising;
}

static struct node *insert(struct node *node, int key) {
    if (!node) {
        node = calloc(1, sizeof *node);
        node->key = key;
        node->height = 1;
        return node;
    }
    if (key < node->key)
        node->left = insert(node->left, key);
    else
        node->right = insert(node->right, key);
    measure(node);
    int balance = height(node->left) - height(node->right);
    if (balance > 1) {
        if (key >= node->left->key)
            node->left = rotate_left(node->left);
        return rotate_right(node);
    }
    if (balance < -1) {
        if (key < node->right->key)
            node->right = rotate_right(node->right);
        return rotate_left(node);
    }
    return node;
}

static void erase_least(void) {
    struct node **link = &root;
    while ((*link)->left)
        link = &(*link)->left;
    struct node *least = *link, *right = least->right;
    free(least);
    *link = right;
}

int main(void) {
    unsigned seed = 1;
    for (int i = 0; i < 24; i++) {
        seed = seed * 1103515245u + 12345u;
        root = insert(root, (int)(seed >> 16) % 1000);
    }
    for (int i = 0; i < 3; i++)
        erase_least();
    return 0;
}
