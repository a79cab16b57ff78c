/* In-place reversal keeps every cell; losing `done` loses the reversed part. */
#include "twin.h"
struct cell { struct cell *next; int v; };
int scenario(int round)
{
    struct cell *list = NULL, *done = NULL;
    for (int i = 0; i < 3; i++) {
        struct cell *c = malloc(sizeof *c);
        if (!c)
            break;
        c->v = round;
        c->next = list;
        list = c;
    }
    while (list) {
        struct cell *next = list->next;
#ifdef LEAK
        list->next = NULL;
#else
        list->next = done;
#endif
        done = list;
        list = next;
    }
    int n = 0;
    while (done) {
        struct cell *next = done->next;
        free(done);
        done = next;
        n++;
    }
    return n;
}
