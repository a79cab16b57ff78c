// Each thread has a list of its own. While one is in the middle of an operation the other does a
// whole one.
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

struct node {
    struct node *next, *prev;
};

struct list {
    struct node *head;
};

static struct list lists[2];
static sem_t begun, done;

static struct node *new_node(void) {
    return calloc(1, sizeof(struct node));
}

static void push(struct list *list, int wait) {
    struct node *node = new_node();
    node->next = list->head;
    list->head = node;
    if (wait) { // its successor does not lead back yet
        sem_post(&begun);
        sem_wait(&done);
    }
    if (node->next)
        node->next->prev = node;
}

static void *other(void *none) {
    (void)none;
    push(&lists[1], 0);
    sem_wait(&begun);
    push(&lists[1], 0);
    push(&lists[1], 0);
    sem_post(&done);
    return NULL;
}

int main(void) {
    pthread_t thread;
    sem_init(&begun, 0, 0);
    sem_init(&done, 0, 0);
    push(&lists[0], 0);
    pthread_create(&thread, NULL, other, NULL);
    push(&lists[0], 1);
    pthread_join(thread, NULL);
    push(&lists[0], 0);
    return 0;
}
