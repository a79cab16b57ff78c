/* Only the embedded link is kept; the object is found again from it. */
#include "twin.h"
struct link { struct link *next; };
struct job { int id; struct link link; };
#define JOB(l) ((struct job *)((char *)(l) - offsetof(struct job, link)))
int scenario(int round)
{
    struct link *queue = NULL;
    for (int i = 0; i < 3; i++) {
        struct job *j = malloc(sizeof *j);
        if (!j)
            break;
        j->id = i + round;
        j->link.next = queue;
        queue = &j->link;
    }
    int sum = 0;
    while (queue) {
        struct job *j = JOB(queue);
        queue = queue->next;
        sum += j->id;
#ifndef LEAK
        free(j);
#endif
    }
    return sum;
}
