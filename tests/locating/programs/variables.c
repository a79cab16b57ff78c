// Four threads, each with a list of its own. HOLDER and LIST say where the lists lie. With FAULT, an
// operation forgets to link back.
#include <pthread.h>
#include <stdlib.h>

typedef struct node {
    int key;
    struct node *next, *prev;
} node;
typedef struct list {
    node *head, *tail;
    int n;
} list;

HOLDER;

static void list_add(list *l, int key) {
    node *x = malloc(sizeof *x);
    x->key = key;
    x->next = NULL;
    x->prev = l->tail;
    if (l->tail)
        l->tail->next = x;
    else
        l->head = x;
    l->tail = x;
    l->n++;
}

static void list_remove(list *l, node *x) {
    if (x->prev)
        x->prev->next = x->next;
    else
        l->head = x->next;
#ifdef FAULT
    if (!x->next || x->key != FAULT)
#endif
        if (x->next)
            x->next->prev = x->prev;
        else
            l->tail = x->prev;
    l->n--;
    free(x);
}

static void *work(void *number) {
    long me = (long)number;
    list *l = &LIST(me);
    for (int i = 0; i < 12; i++) {
        list_add(l, 100 * me + i);
        if (i % 3 == 2)
            list_remove(l, l->head->next);
    }
    while (l->n > 5)
        list_remove(l, l->head);
    return NULL;
}

int main(void) {
    pthread_t threads[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
