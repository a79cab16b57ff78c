/* The helper grows a copy of the pointer; the caller goes on with a clone it made before. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int *with_room(int *at, size_t n) {
    int *bigger = realloc(at, n * sizeof *at);
    if (!bigger)
        abort();
    return bigger;
}

int main(void) {
    size_t n = 0, room = 0;
    int *primes = NULL;
    for (int c = 2; c < 40; c++) {
        int divisible = 0;
        for (size_t i = 0; i < n && !divisible; i++)
            divisible = c % primes[i] == 0;
        if (divisible)
            continue;
        if (n == room) {
            room += 4;
#ifdef LEAK
            int *bigger = with_room(NULL, room);
            if (n)
                memcpy(bigger, primes, n * sizeof *primes);
            primes = bigger;
#else
            primes = with_room(primes, room);
#endif
        }
        primes[n++] = c;
    }
    printf("%d\n", primes[n - 1]);
    free(primes);
    return 0;
}
