/* When the right operand is missing the recursive parser forgets the left one. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

struct tree {
    char op;
    struct tree *left, *right;
};

static struct tree *tree(char op, struct tree *left, struct tree *right) {
    struct tree *t = malloc(sizeof *t);
    if (!t)
        abort();
    *t = (struct tree){op, left, right};
    return t;
}

static void drop(struct tree *t) {
    if (t) {
        drop(t->left);
        drop(t->right);
        free(t);
    }
}

static struct tree *parse(const char **at) {
    if (!isdigit((unsigned char)**at))
        return NULL;
    struct tree *left = tree(*(*at)++, NULL, NULL);
    if (**at != '+')
        return left;
    ++*at;
    struct tree *right = parse(at);
    if (!right) {
#ifndef LEAK
        drop(left);
#endif
        return NULL;
    }
    return tree('+', left, right);
}

int main(void) {
    const char *inputs[] = {"1+2+3", "1+2+"};
    for (int i = 0; i < 2; i++) {
        struct tree *t = parse(&inputs[i]);
        printf("%s\n", t ? "ok" : "error");
        drop(t);
    }
    return 0;
}
