/* Michael and Scott's two-lock queue with pthread mutexes. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *_Atomic next; /* enqueue and dequeue hold different locks */
};

struct queue {
    struct node *head;
    struct node *tail;
    pthread_mutex_t head_lock;
    pthread_mutex_t tail_lock;
};

void init(struct queue *q) {
    struct node *dummy = malloc(sizeof *dummy);
    dummy->next = NULL;
    q->head = dummy;
    q->tail = dummy;
    pthread_mutex_init(&q->head_lock, NULL);
    pthread_mutex_init(&q->tail_lock, NULL);
}

void enqueue(struct queue *q, int value) {
    struct node *node = malloc(sizeof *node);
    node->value = value;
    node->next = NULL;
    pthread_mutex_lock(&q->tail_lock);
    q->tail->next = node;
    q->tail = node;
    pthread_mutex_unlock(&q->tail_lock);
}

bool dequeue(struct queue *q, int *value) {
    pthread_mutex_lock(&q->head_lock);
    struct node *node = q->head;
    struct node *next = node->next;
    if (next == NULL) {
        pthread_mutex_unlock(&q->head_lock);
        return false;
    }
    *value = next->value;
    q->head = next;
    pthread_mutex_unlock(&q->head_lock);
    free(node);
    return true;
}
