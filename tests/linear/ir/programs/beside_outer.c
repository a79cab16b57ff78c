/* A queue whose code lies in a file of its own, included as if it were the system's. */
#include <beside_inner.h>
#include <pthread.h>
#include <stdlib.h>
struct outer {
    pthread_mutex_t lock;
    struct inner *inner;
};
struct outer *outer_new(void) {
    struct outer *made = malloc(sizeof *made);
    pthread_mutex_init(&made->lock, NULL);
    made->inner = inner_new();
    return made;
}
void outer_enqueue(struct outer *q, int value) {
    pthread_mutex_lock(&q->lock);
    inner_enqueue(q->inner, value);
    pthread_mutex_unlock(&q->lock);
}
int outer_dequeue(struct outer *q, int *value) {
    pthread_mutex_lock(&q->lock);
    int some = inner_dequeue(q->inner, value);
    pthread_mutex_unlock(&q->lock);
    return some;
}
