/* Events of the queue that carry text are dropped like those that do not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct event {
    enum { KEY, PASTE, RESIZE } kind;
    union {
        int key;
        char *text;
        struct {
            short w, h;
        } size;
    } u;
};
struct queue {
    struct event at[4];
    int n;
};

static void event_drop(struct event *e) {
    if (e->kind == PASTE)
        free(e->u.text);
}

static void post(struct queue *q, struct event e) {
    if (q->n == 4) {
#ifndef LEAK
        event_drop(&q->at[0]);
#endif
        memmove(q->at, q->at + 1, 3 * sizeof *q->at);
        q->n--;
    }
    q->at[q->n++] = e;
}

int main(void) {
    struct queue q = {.n = 0};
    post(&q, (struct event){PASTE, {.text = strdup("clip")}});
    for (int i = 0; i < 4; i++)
        post(&q, (struct event){KEY, {.key = i}});
    post(&q, (struct event){PASTE, {.text = strdup("board")}});
    printf("%d\n", q.at[0].u.key);
    while (q.n)
        event_drop(&q.at[--q.n]);
    return 0;
}
