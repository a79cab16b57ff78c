/* Two threads push to a list of their own; a third one moves nodes between them under a lock. */
#include <pthread.h>
#include <stdlib.h>

struct item {
    struct item *next;
    int key;
};

static struct item *lists[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *push(void *which) {
    long list = (long)which;
    for (int i = 0; i < 5; i++) {
        struct item *item = malloc(sizeof *item);
        item->key = i;
        pthread_mutex_lock(&lock);
        item->next = lists[list];
        lists[list] = item;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *move(void *none) {
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        struct item *item = lists[0];
        if (item) {
            lists[0] = item->next;
            item->next = lists[1];
            lists[1] = item;
        }
        pthread_mutex_unlock(&lock);
    }
    return none;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, push, (void *)0);
    pthread_create(&threads[1], NULL, push, (void *)1);
    pthread_join(threads[0], NULL);
    pthread_create(&threads[2], NULL, move, NULL);
    pthread_join(threads[1], NULL);
    pthread_join(threads[2], NULL);
    return 0;
}
