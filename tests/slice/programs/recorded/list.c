/* A list on the heap: the way to an element is part of how its value was found. */
#include <stdlib.h>
struct node {
    struct node *next;
    int key;
};
int result;
static struct node *push(struct node *head, int key) { // *
    struct node *n = malloc(sizeof *n);                // *
    n->next = head;                                    // *
    n->key = key;                                      // *
    return n;                                          // *
}
int main(void) {
    struct node *head = NULL;
    head = push(head, 1);
    head = push(head, 2);     // *
    head = push(head, 3);     // *
    result = head->next->key; // *
    return 0;
}
