/* The base case returns before the table that the outermost call made is released. */
#include <stdio.h>
#include <stdlib.h>

static long fib(int n, long *memo) {
    if (n < 2)
        return n;
    if (!memo[n])
        memo[n] = fib(n - 1, memo) + fib(n - 2, memo);
    return memo[n];
}

static long fibonacci(int n) {
    long *memo = calloc((size_t)n + 2, sizeof *memo);
    if (!memo)
        return -1;
#ifdef LEAK
    if (n < 2)
        return n;
#endif
    long result = fib(n, memo);
    free(memo);
    return result;
}

int main(void) {
    printf("%ld %ld\n", fibonacci(20), fibonacci(1));
    return 0;
}
