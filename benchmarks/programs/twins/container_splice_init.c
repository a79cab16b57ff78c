/* The pending list is spliced onto the active one, and what was active before is cut off. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

struct link {
    struct link *next;
};
struct request {
    int number;
    struct link link;
};
#define REQUEST(l) ((struct request *)((char *)(l)-offsetof(struct request, link)))

static void submit(struct link **list, int number) {
    struct request *r = malloc(sizeof *r);
    if (!r)
        return;
    r->number = number;
    r->link.next = *list;
    *list = &r->link;
}

static void activate(struct link **active, struct link **pending) {
#ifndef LEAK
    struct link **end = pending;
    while (*end)
        end = &(*end)->next;
    *end = *active;
#endif
    *active = *pending;
    *pending = NULL;
}

int main(void) {
    struct link *active = NULL, *pending = NULL;
    submit(&active, 1);
    submit(&pending, 2);
    submit(&pending, 3);
    activate(&active, &pending);
    while (active) {
        struct request *r = REQUEST(active);
        active = active->next;
        printf("%d\n", r->number);
        free(r);
    }
    return 0;
}
