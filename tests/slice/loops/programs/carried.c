/* Iterations that need each other. */
#include <stdlib.h>
volatile int length = 12;
int a[24], out[24];
int result;

struct node {
    int value;
    struct node *next;
};

static __attribute__((noinline)) void prefix(int n) {
    for (int i = 1; i < n; i++) // loop: carried 1x11; flow a 1
        a[i] += a[i - 1];
}
static __attribute__((noinline)) void by_three(int n) {
    for (int i = 3; i < n; i++) // loop: carried 1x9; flow a 3
        a[i] = a[i - 3] + 1;
}
static __attribute__((noinline)) void shift(int n) {
    for (int i = 0; i < n; i++) // loop: carried 1x12; anti a 1
        a[i] = a[i + 1];
}
static __attribute__((noinline)) int filter(int n) {
    int kept = 0;
    for (int i = 0; i < n; i++) // loop: carried 1x12; flow kept 1
        if (a[i] & 1)
            out[kept++] = a[i];
    return kept;
}
static __attribute__((noinline)) int chase(struct node *list) {
    int total = 0;
    struct node *n = list;
    while (n) { // loop: carried 1x5; flow n 1; control - 1; reduction total 1
        total += n->value;
        n = n->next;
    }
    return total;
}
static __attribute__((noinline)) int through(int **pointers, int n) {
    int i = 0;
    for (; i < n; i++) // loop: carried 1x12; flow a 6
        *pointers[i] = *pointers[i] * 3 + 1;
    return i;
}
static __attribute__((noinline)) int apart(int **pointers, int n) {
    int i = 0;
    for (; i < n; i++) // loop: independent 1x12
        *pointers[i] = *pointers[i] * 3 + 1;
    return i;
}
int main(void) {
    struct node nodes[5];
    int *same[12], *others[12];
    for (int i = 0; i < 24; i++)
        a[i] = 7 * i % 5;
    for (int i = 0; i < 5; i++)
        nodes[i] = (struct node){i, i < 4 ? &nodes[i + 1] : NULL};
    for (int i = 0; i < 12; i++) {
        same[i] = &a[i % 6];
        others[i] = &a[i];
    }
    prefix(length);
    by_three(length);
    shift(length);
    result = filter(length) + chase(nodes) + through(same, length) + apart(others, length);
    return 0;
}
