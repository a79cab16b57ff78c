/* Appending through a pointer to the last link; destroying from the head. */
#include "twin.h"
struct item { int value; struct item *next; };
int scenario(int round)
{
    struct item *head = NULL, **tail = &head;
    for (int i = 0; i < 3; i++) {
        struct item *n = malloc(sizeof *n);
        if (!n)
            break;
        n->value = i + round;
        n->next = NULL;
        *tail = n;
        tail = &n->next;
    }
    int sum = 0;
    while (head) {
        struct item *next = head->next;
        sum += head->value;
#ifndef LEAK
        free(head);
#endif
        head = next;
    }
    return sum;
}
