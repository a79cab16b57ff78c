/* Conditions that call functions or have several parts: the last test is no iteration. */
#include <stddef.h>
volatile int length = 12;
int a[24];

struct item {
    int key;
    struct item *next;
};

#define apart __attribute__((noinline, noclone))

static __attribute__((noipa)) int below(int i, int n) {
    return i < n;
}
apart static void called(int n) {
    for (int i = 0; below(i, n); i++) // loop: independent 1x12
        a[i] = i;
}
apart static void once(int n) {
    for (int i = 0; below(i, n); i++) // loop: unknown 1x1
        a[i] = i;
}
apart static void both(int n) {
    int i = 0;
    while (below(i, n) && below(i, 5)) { // loop: independent 1x5
        a[i] = i;
        i++;
    }
}
apart static void both_once(int n) {
    int i = 0;
    while (i < n && below(i, 1)) { // loop: unknown 1x1
        a[i] = i;
        i++;
    }
}
apart static void either(int n) {
    int i = 0;
    while (below(i, 4) || below(n, i)) { // loop: independent 1x4
        a[i] = i;
        i++;
    }
}
apart static void either_once(int n) {
    int i = 0;
    while (below(n, i) || below(i, 1)) { // loop: unknown 1x1
        a[i] = i;
        i++;
    }
}
apart static struct item *find(struct item *item, int key) {
    while (item && item->key != key) // loop: carried 1x2; flow item 1; control - 1
        item = item->next;
    return item;
}
apart static struct item *find_next(struct item *item, int key) {
    while (item && item->key != key) // loop: unknown 1x1
        item = item->next;
    return item;
}
apart static void bottom(int n) {
    int i = 0;
    do { // the condition comes last
        a[i] = i;
        i++;
    } while (below(i, n)); // loop: independent 1x12
}
int main(void) {
    struct item items[4] = {{1, items + 1}, {2, items + 2}, {3, items + 3}, {4, NULL}};
    called(length);
    once(1);
    both(length);
    both_once(length);
    either(length);
    either_once(length);
    bottom(length);
    return find(items, 3) != items + 2 || find_next(items, 2) != items + 1;
}
