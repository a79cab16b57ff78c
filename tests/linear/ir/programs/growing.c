// A stack in memory that grows to the next power of two.
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
struct stack {
    pthread_mutex_t m;
    int *items;
    unsigned room, count;
};
void stack_init(struct stack *s) {
    pthread_mutex_init(&s->m, NULL);
    s->items = NULL;
    s->room = s->count = 0;
}
void stack_push(struct stack *s, int v) {
    pthread_mutex_lock(&s->m);
    if (s->count == s->room) {
        s->room = 1u << (32 - __builtin_clz(s->room | 1));
        s->items = realloc(s->items, s->room * sizeof *s->items);
    }
    s->items[s->count++] = v;
    pthread_mutex_unlock(&s->m);
}
int stack_pop(struct stack *s) {
    pthread_mutex_lock(&s->m);
    int v = s->count ? s->items[--s->count] : -1;
    pthread_mutex_unlock(&s->m);
    return v;
}
