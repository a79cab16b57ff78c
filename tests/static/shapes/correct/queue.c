#include "../nodes.h"

typedef struct q {
    Node *head, *tail;
} Queue;
static int push(Queue *q) {
    Node *x = malloc(sizeof *x);
    if (!x)
        return -1;
    x->next = NULL;
    if (q->tail)
        q->tail->next = x;
    else
        q->head = x;
    q->tail = x;
    return 0;
}
static void pop(Queue *q) {
    Node *x = q->head;
    q->head = x->next;
    if (!q->head)
        q->tail = NULL;
    free(x);
}
int main(void) {
    Queue q = {0, 0};
    while (more())
        push(&q);
    while (q.head)
        pop(&q);
    return 0;
}
