/* The queue: takes copies, gives them to whoever takes them. */
#include "queue.h"
#include <stdlib.h>
#include <string.h>

struct item {
    char *text;
    struct item *next;
};

void queue_init(struct queue *q) {
    q->first = NULL;
    q->last = &q->first;
}

int queue_put(struct queue *q, const char *text) {
    struct item *i = malloc(sizeof *i);
    if (!i)
        return -1;
    i->text = strdup(text);
    if (!i->text) {
        free(i);
        return -1;
    }
    i->next = NULL;
    *q->last = i;
    q->last = &i->next;
    return 0;
}

char *queue_take(struct queue *q) {
    struct item *i = q->first;
    if (!i)
        return NULL;
    char *text = i->text;
    q->first = i->next;
    if (!q->first)
        q->last = &q->first;
    free(i);
    return text;
}

void queue_clear(struct queue *q) {
    for (char *text; (text = queue_take(q));)
        free(text);
}
