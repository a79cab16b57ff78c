/* Popping returns the text of the node; the node itself stays behind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct message {
    char *text;
    struct message *next;
};
struct queue {
    struct message *head, *tail;
};

static void send(struct queue *q, const char *text) {
    struct message *m = malloc(sizeof *m);
    if (!m)
        return;
    m->text = strdup(text);
    m->next = NULL;
    if (q->tail)
        q->tail->next = m;
    else
        q->head = m;
    q->tail = m;
}

static char *receive(struct queue *q) {
    struct message *m = q->head;
    char *text = m->text;
    q->head = m->next;
    if (!q->head)
        q->tail = NULL;
#ifndef LEAK
    free(m);
#endif
    return text;
}

int main(void) {
    struct queue q = {NULL, NULL};
    send(&q, "start");
    send(&q, "stop");
    while (q.head) {
        char *text = receive(&q);
        puts(text ? text : "");
        free(text);
    }
    return 0;
}
