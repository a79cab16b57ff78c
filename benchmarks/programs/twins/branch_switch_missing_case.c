/* One case of the switch returns without releasing the operand. */
#include <stdio.h>
#include <stdlib.h>

static long evaluate(char op, long left, long right) {
    long *operand = malloc(2 * sizeof *operand);
    if (!operand)
        return 0;
    operand[0] = left;
    operand[1] = right;
    long result = 0;
    switch (op) {
    case '+':
        result = operand[0] + operand[1];
        break;
    case '/':
        if (operand[1] == 0) {
#ifndef LEAK
            free(operand);
#endif
            return -1;
        }
        result = operand[0] / operand[1];
        break;
    case '!':
        free(operand);
        return !left;
    default:
        result = -2;
    }
    free(operand);
    return result;
}

int main(void) {
    printf("%ld %ld %ld %ld\n", evaluate('+', 1, 2), evaluate('/', 6, 3), evaluate('/', 6, 0),
           evaluate('!', 6, 0));
    return 0;
}
