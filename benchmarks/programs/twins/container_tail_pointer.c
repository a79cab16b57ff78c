/* The tail of the intrusive queue is not moved, so each push loses the one before. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

struct link {
    struct link *next;
};
struct queue {
    struct link *head, **tail;
};
struct packet {
    int sequence;
    struct link link;
};

static void push(struct queue *q, struct link *l) {
    l->next = NULL;
    *q->tail = l;
#ifdef LEAK
    if (!q->head)
#endif
        q->tail = &l->next;
}

static struct packet *pop(struct queue *q) {
    struct link *l = q->head;
    if (!l)
        return NULL;
    q->head = l->next;
    if (!q->head)
        q->tail = &q->head;
    return (struct packet *)((char *)l - offsetof(struct packet, link));
}

int main(void) {
    struct queue q = {NULL, &q.head};
    for (int i = 0; i < 3; i++) {
        struct packet *p = malloc(sizeof *p);
        if (!p)
            break;
        p->sequence = i;
        push(&q, &p->link);
    }
    for (struct packet *p; (p = pop(&q)); free(p))
        printf("%d\n", p->sequence);
    return 0;
}
