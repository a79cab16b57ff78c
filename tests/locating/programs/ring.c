/* A ring with a head; an element is moved with pointers in the wrong order. */
#include <stdlib.h>

struct link {
    struct link *next, *prev;
    int value;
};

static void insert_after(struct link *at, struct link *new) {
    new->next = at->next;
    new->prev = at;
    if (FAULT) {
        at->next = new;
        at->next->prev = new; /* faulty */
    } else {
        at->next->prev = new;
        at->next = new;
    }
}
static struct link *make_ring(void) {
    struct link *head = malloc(sizeof *head);
    head->next = head->prev = head;
    head->value = -1;
    return head;
}

int main(void) {
    struct link *head = make_ring();
    for (int i = 0; i < 4; i++) {
        struct link *link = calloc(1, sizeof *link);
        insert_after(head, link);
    }
    return 0;
}
