/* threads have to register before they use the queue */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
struct record {
    atomic_int active;
    void *hazard;
    struct record *next;
};
static _Atomic(struct record *) records;
static _Thread_local struct record *mine;
void hp_register(void) {
    struct record *r = calloc(1, sizeof *r);
    atomic_init(&r->active, 1);
    struct record *old = atomic_load(&records);
    do
        r->next = old;
    while (!atomic_compare_exchange_strong(&records, &old, r));
    mine = r;
}
struct node {
    int value;
    struct node *next;
};
struct stack {
    _Atomic(struct node *) top;
};
void stack_init(struct stack *s) {
    atomic_init(&s->top, NULL);
}
void stack_push(struct stack *s, int v) {
    struct node *n = malloc(sizeof *n);
    n->value = v;
    mine->hazard = n;
    struct node *old = atomic_load(&s->top);
    do
        n->next = old;
    while (!atomic_compare_exchange_strong(&s->top, &old, n));
    mine->hazard = NULL;
}
bool stack_pop(struct stack *s, int *out) {
    struct node *old = atomic_load(&s->top);
    do {
        if (!old)
            return false;
        mine->hazard = old;
    } while (!atomic_compare_exchange_strong(&s->top, &old, old->next));
    *out = old->value;
    mine->hazard = NULL;
    return true;
}
