/* The recursive copy of a list returns nothing for a bad node and loses the rest it has copied. */
#include <stdio.h>
#include <stdlib.h>

struct node {
    int n;
    struct node *next;
};

static void drop(struct node *l) {
    if (l) {
        drop(l->next);
        free(l);
    }
}

static struct node *copy(const struct node *l, int *bad) {
    if (!l)
        return NULL;
    struct node *rest = copy(l->next, bad);
    struct node *c = *bad || l->n < 0 ? NULL : malloc(sizeof *c);
    if (!c) {
        *bad = 1;
#ifndef LEAK
        drop(rest);
#endif
        return NULL;
    }
    *c = (struct node){l->n, rest};
    return c;
}

int main(void) {
    struct node c = {3, NULL}, b = {2, &c}, a = {1, &b};
    int bad = 0;
    struct node *first = copy(&a, &bad);
    printf("%d\n", bad);
    drop(first);
    b.n = -2;
    struct node *second = copy(&a, &bad);
    printf("%d\n", bad);
    drop(second);
    return 0;
}
