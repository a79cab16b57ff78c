#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void make(void) {
    pthread_key_create(&key, free);
}
struct stack {
    pthread_mutex_t m;
    int items[8];
    int n;
};
void stack_init(struct stack *s) {
    pthread_mutex_init(&s->m, NULL);
    s->n = 0;
}
static int *own(void) {
    pthread_once(&once, make);
    int *p = pthread_getspecific(key);
    if (!p) {
        p = calloc(1, sizeof *p);
        pthread_setspecific(key, p);
    }
    return p;
}
void stack_push(struct stack *s, int v) {
    ++*own();
    pthread_mutex_lock(&s->m);
    s->items[s->n++] = v;
    pthread_mutex_unlock(&s->m);
}
int stack_pop(struct stack *s) {
    ++*own();
    pthread_mutex_lock(&s->m);
    int v = s->n ? s->items[--s->n] : -1;
    pthread_mutex_unlock(&s->m);
    return v;
}
