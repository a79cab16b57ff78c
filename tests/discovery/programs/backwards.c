/* A loop that goes through an array from its end: the pointer is moved on before the last use of the
 * element, as compilers do it, so that behind the first element it lies in the block before. */
#include <stdlib.h>

struct entry {
    long key, value, rest[3];
};

static volatile struct entry *before;
static struct entry *array, *to;

__attribute__((noinline, noclone)) static long *slot(long n) {
    __asm__ volatile("");
    return &to[n & 3].value;
}

int main(void) {
    before = calloc(4, sizeof *before);
    array = calloc(4, sizeof *array);
    to = calloc(4, sizeof *to);
    before[3].rest[2] = array[0].key = 7;
    before[0].key = before[3].key;
    const struct entry *at = array + 4;
    for (int n = 0; n < 4; n++) {
        at -= 2;
        long *found = slot(n);
        __asm__ volatile("" : "+r"(at)); /* one element too low until here */
        *found = at[1].key;
        at++;
    }
    return to[3].value != 7;
}
