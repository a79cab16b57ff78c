/* Folding a constant sum keeps the new leaf and forgets the right operand. */
#include <stdio.h>
#include <stdlib.h>

struct expr {
    char op;
    int value;
    struct expr *left, *right;
};

static struct expr *leaf(int value) {
    struct expr *e = calloc(1, sizeof *e);
    if (!e)
        abort();
    e->op = '#';
    e->value = value;
    return e;
}

static struct expr *binary(char op, struct expr *left, struct expr *right) {
    struct expr *e = leaf(0);
    *e = (struct expr){op, 0, left, right};
    return e;
}

static struct expr *fold(struct expr *e) {
    if (e->op == '#')
        return e;
    e->left = fold(e->left);
    e->right = fold(e->right);
    int a = e->left->value, b = e->right->value;
    struct expr *result = e->left;
    result->value = e->op == '+' ? a + b : a * b;
#ifndef LEAK
    free(e->right);
#endif
    free(e);
    return result;
}

int main(void) {
    struct expr *e = fold(binary('+', leaf(2), binary('*', leaf(3), leaf(4))));
    printf("%d\n", e->value);
    free(e);
    return 0;
}
