#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
struct item {
    int id;
    long weight;
    double x;
};
struct queue {
    pthread_mutex_t m;
    struct item items[4];
    unsigned head, tail;
};
void queue_init(struct queue *q) {
    pthread_mutex_init(&q->m, NULL);
    q->head = q->tail = 0;
}
bool queue_enqueue(struct queue *q, struct item v) {
    pthread_mutex_lock(&q->m);
    bool room = q->tail - q->head < 4;
    if (room)
        q->items[q->tail++ % 4] = v;
    pthread_mutex_unlock(&q->m);
    return room;
}
bool queue_dequeue(struct queue *q, struct item *out) {
    pthread_mutex_lock(&q->m);
    bool some = q->tail != q->head;
    if (some)
        *out = q->items[q->head++ % 4];
    pthread_mutex_unlock(&q->m);
    return some;
}
