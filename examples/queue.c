#include <stdlib.h>

struct job {
    struct job *next;
    struct job *prev;
    int priority;
};

struct queue {
    struct job *head;
    struct job *tail;
    int length;
};

static void put(struct queue *queue, int priority) {
    struct job *job = calloc(1, sizeof *job);
    job->priority = priority;
    job->prev = queue->tail;
    if (queue->tail)
        queue->tail->next = job;
    else
        queue->head = job;
    queue->tail = job;
    queue->length++;
}

static void drop(struct queue *queue, struct job *job) {
    if (job->prev)
        job->prev->next = job->next;
    else
        queue->head = job->next;
    if (job->next)
        job->next->prev = job->prev;
    else if (job->prev) /* and if it was the only one, tail stays */
        queue->tail = job->prev;
    queue->length--;
    free(job);
}

int main(int argc, char **argv) {
    struct queue *queue = calloc(1, sizeof *queue);
    for (int i = 1; i <= 4; i++)
        put(queue, 10 * i);
    drop(queue, queue->head->next);
    if (argc > 1) { /* the bad run empties it */
        while (queue->head)
            drop(queue, queue->head);
    }
    return 0;
}
