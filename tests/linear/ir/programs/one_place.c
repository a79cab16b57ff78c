#include <pthread.h>
#include <stdbool.h>
struct q {
    pthread_mutex_t m;
    int full;
    int value;
};
void q_init(struct q *q) {
    pthread_mutex_init(&q->m, 0);
    q->full = 0;
    q->value = 0;
}
bool q_enqueue(struct q *q, int v) {
    pthread_mutex_lock(&q->m);
    if (q->full) {
        pthread_mutex_unlock(&q->m);
        return false;
    }
    q->full = 1;
    q->value = v;
    pthread_mutex_unlock(&q->m);
    return true;
}
int q_dequeue(struct q *q) {
    pthread_mutex_lock(&q->m);
    if (!q->full) {
        pthread_mutex_unlock(&q->m);
        return -1;
    }
    int v = q->value;
    q->full = 0;
    pthread_mutex_unlock(&q->m);
    return v;
}
