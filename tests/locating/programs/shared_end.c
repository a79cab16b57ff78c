// Both branches store what an operation returned: optimised code does so once, behind one of the
// calls, and jumps back there from the other.
#include <stdlib.h>

struct node {
    int key;
    struct node *next;
};

static struct node *head;

static struct node *push(struct node *next, int key) {
    struct node *node = malloc(sizeof *node);
    node->key = key;
    node->next = next;
    return node;
}

static struct node *pop(struct node *first) {
    struct node *next = first->next;
#ifdef FAULT
    if (first->key == FAULT)
        next = next->next; // the rest is lost
#endif
    free(first);
    return next;
}

int main(int count, char **words) {
    (void)words;
    for (int i = 0; i < 40 * count; ++i) {
        if (__builtin_expect(i % 4 != 3, 1))
            head = push(head, i);
        else
            head = pop(head);
    }
    return 0;
}
