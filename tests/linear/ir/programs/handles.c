#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
typedef struct handle {
    int id;
    struct handle *next;
    long seen;
} handle_t;
typedef struct {
    atomic_long lock;
    _Atomic(handle_t *) handles;
    void *items[8];
    long head, tail;
} queue_t;
void queue_init(queue_t *q, int nprocs) {
    q->head = q->tail = 0;
    atomic_init(&q->lock, 0);
    atomic_init(&q->handles, NULL);
}
void queue_register(queue_t *q, handle_t *h, int id) {
    h->id = id;
    h->seen = 7;
    handle_t *old = atomic_load(&q->handles);
    do
        h->next = old;
    while (!atomic_compare_exchange_strong(&q->handles, &old, h));
}
static void take(queue_t *q, handle_t *h) {
    if (h->seen != 7)
        abort();
    while (atomic_exchange(&q->lock, 1))
        ;
}
void enqueue(queue_t *q, handle_t *h, void *v) {
    take(q, h);
    q->items[q->tail++ % 8] = v;
    atomic_store(&q->lock, 0);
}
void *dequeue(queue_t *q, handle_t *h) {
    take(q, h);
    void *v = q->head == q->tail ? NULL : q->items[q->head++ % 8];
    atomic_store(&q->lock, 0);
    return v;
}
