/* The iterative release pushes one child if it has the other, not both. */
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *child[2];
    int id;
};

static struct node *build(int depth, int id) {
    if (!depth)
        return NULL;
    struct node *n = malloc(sizeof *n);
    if (!n)
        return NULL;
    n->id = id;
    n->child[0] = build(depth - 1, 2 * id);
    n->child[1] = build(depth - 1, 2 * id + 1);
    return n;
}

int main(void) {
    struct node *stack[32];
    int top = 0, sum = 0;
    stack[top] = build(4, 1);
    if (stack[top])
        top++;
    while (top) {
        struct node *n = stack[--top];
        sum += n->id;
        if (n->child[0])
            stack[top++] = n->child[0];
#ifdef LEAK
        else
#endif
            if (n->child[1])
            stack[top++] = n->child[1];
        free(n);
    }
    printf("%d\n", sum > 0);
    return 0;
}
