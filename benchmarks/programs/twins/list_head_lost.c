/* The list is walked with its own head, so that nothing is left to release. */
#include <stdio.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static struct node *push(struct node *head, int value) {
    struct node *n = malloc(sizeof *n);
    if (!n)
        return head;
    n->value = value;
    n->next = head;
    return n;
}

int main(void) {
    struct node *head = NULL;
    for (int i = 0; i < 5; i++)
        head = push(head, i * i);
    int sum = 0;
#ifdef LEAK
    for (; head; head = head->next)
        sum += head->value;
#else
    for (const struct node *n = head; n; n = n->next)
        sum += n->value;
#endif
    printf("%d\n", sum);
    while (head) {
        struct node *next = head->next;
        free(head);
        head = next;
    }
    return 0;
}
