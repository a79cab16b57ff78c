/* One of everything that changes the graph, each on a line of its own, between two marks.
   Expected beside it: for each line, by how much it advances the timestamp. */
#include <stdlib.h>
#include <string.h>

struct pair {
    long left, right;
};
struct pair *volatile kept;
volatile long mark;

int main(void) {
    struct pair *a, *b, other = {1, 2};
    volatile size_t n = sizeof other;
    mark = 1;
    a = malloc(sizeof *a);      /* 16 */
    a->left = 0;                /* 17: the first write */
    a->left = 0;                /* 18: silent */
    a->left = 5;                /* 19 */
    b = calloc(1, sizeof *b);   /* 20 */
    b->left = 0;                /* 21: silent, calloc made it zero */
    memcpy(a, &other, n);       /* 22 */
    memset(b, 7, n);            /* 23 */
    kept = b;                   /* 24 */
    free(a);                    /* 25 */
    b = realloc(b, 4096);       /* 26 */
    mark = 2;
    free(b);
    return (int)other.left - 1;
}
