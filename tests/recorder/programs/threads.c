/* Threads one after the other, so that every run takes the same way: locks, atomic operations,
 * memory of their own, vectors. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic long counter;
static __thread long mine;
long shared, doubles[64];
double scaled[64];

static void *work(void *argument) {
    long rounds = (long)argument;
    for (long i = 0; i < rounds; i++) {
        mine += i;
        pthread_mutex_lock(&lock);
        shared += mine;
        pthread_mutex_unlock(&lock);
        atomic_fetch_add(&counter, i);
        long old = counter; /* lackey takes an exchange that fails for a store */
        while (!atomic_compare_exchange_weak(&counter, &old, old + 1))
            ;
        doubles[i % 64] = 2 * shared;
    }
    for (int i = 0; i < 64; i++)
        scaled[i] = doubles[i] * 0.5;
    return (void *)mine;
}

int main(void) {
    long sum = 0;
    for (long i = 1; i <= 3; i++) {
        pthread_t thread;
        void *result;
        if (pthread_create(&thread, NULL, work, (void *)(i * 20)) || pthread_join(thread, &result))
            abort();
        sum += (long)result;
    }
    return sum == 0;
}
