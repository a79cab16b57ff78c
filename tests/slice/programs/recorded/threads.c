/* A value made by another thread, under a lock. */
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared, noise;
int result;
static void *work(void *given) { // *
    int mine = *(int *)given;    // *
    pthread_mutex_lock(&lock);
    shared = mine + 1; // *
    noise = mine - 1;
    pthread_mutex_unlock(&lock);
    return NULL;
}
int main(void) {
    pthread_t thread;
    int start = 6;                               // *
    pthread_create(&thread, NULL, work, &start); // *
    pthread_join(thread, NULL);
    pthread_mutex_lock(&lock);
    result = shared; // *
    pthread_mutex_unlock(&lock);
    return 0;
}
