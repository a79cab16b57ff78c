/* Treiber's stack with GCC's builtins. */
#include <stdbool.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

struct stack {
    struct node *top;
};

void push(struct stack *s, int value)
{
    struct node *node = malloc(sizeof *node);
    node->value = value;
    for (;;) {
        struct node *top = __atomic_load_n(&s->top, __ATOMIC_SEQ_CST);
        node->next = top;
        if (__sync_bool_compare_and_swap(&s->top, top, node))
            return;
    }
}

bool pop(struct stack *s, int *value)
{
    for (;;) {
        struct node *top = __atomic_load_n(&s->top, __ATOMIC_SEQ_CST);
        if (top == NULL)
            return false;
        struct node *next = __atomic_load_n(&top->next, __ATOMIC_SEQ_CST);
        if (__sync_bool_compare_and_swap(&s->top, top, next)) {
            *value = top->value;
            free(top);
            return true;
        }
    }
}
