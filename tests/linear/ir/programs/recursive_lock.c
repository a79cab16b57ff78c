/* A stack whose operations lock again what they hold. */
#include <pthread.h>
#include <stdlib.h>

struct item { int value; struct item *next; };
struct stack { pthread_mutex_t mutex; int padding; struct item *top; };

void stack_init(struct stack *s) {
    pthread_mutexattr_t how;
    pthread_mutexattr_init(&how);
    pthread_mutexattr_settype(&how, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&s->mutex, &how);
    pthread_mutexattr_destroy(&how);
    s->top = NULL;
}

static int is_empty(struct stack *s) {
    pthread_mutex_lock(&s->mutex);
    int none = s->top == NULL;
    pthread_mutex_unlock(&s->mutex);
    return none;
}

void stack_push(struct stack *s, int value) {
    struct item *one = malloc(sizeof *one);
    one->value = value;
    pthread_mutex_lock(&s->mutex);
    one->next = is_empty(s) ? NULL : s->top;
    s->top = one;
    pthread_mutex_unlock(&s->mutex);
}

int stack_pop(struct stack *s) {
    int value = -1;
    pthread_mutex_lock(&s->mutex);
    if (!is_empty(s)) {
        struct item *one = s->top;
        value = one->value;
        s->top = one->next;
        free(one);
    }
    pthread_mutex_unlock(&s->mutex);
    return value;
}
