/* The calculator leaves its last operand on a stack that is told to release nothing. */
#include "stack.h"
#include <stdio.h>
#include <stdlib.h>

static int push_number(struct stack *s, double number) {
    double *block = malloc(sizeof *block);
    if (!block)
        return -1;
    *block = number;
    if (stack_push(s, block)) {
        free(block);
        return -1;
    }
    return 0;
}

int main(void) {
    struct stack s = {NULL, 0, 0}, names = {NULL, 0, 0};
    static char name[] = "pi";
    stack_push(&names, name);
    for (int i = 0; i < 6; i++)
        push_number(&s, i);
    double *top = stack_pop(&s);
    printf("%.0f\n", top ? *top : 0);
    free(top);
#ifdef LEAK
    stack_done(&s, NULL);
#else
    stack_done(&s, free);
#endif
    stack_done(&names, NULL);
    return 0;
}
