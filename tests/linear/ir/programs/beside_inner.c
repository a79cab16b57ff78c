#include <beside_inner.h>
#include <stdlib.h>
struct inner {
    int items[16], head, tail;
};
struct inner *inner_new(void) { return calloc(1, sizeof(struct inner)); }
void inner_enqueue(struct inner *q, int value) { q->items[q->tail++] = value; }
int inner_dequeue(struct inner *q, int *value) {
    if (q->head == q->tail)
        return 0;
    *value = q->items[q->head++];
    return 1;
}
