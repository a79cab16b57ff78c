// Operations return the structure's new beginning, and main stores it in a variable or a field: the
// structure is whole only then.
#include <stdlib.h>

struct node {
    int key;
    struct node *next;
};
struct list {
    struct node *head;
};

static struct node *head;
static struct list *list;

static struct node *push(struct node *next, int key) {
    struct node *node = malloc(sizeof *node);
    node->key = key;
    node->next = next;
    return node;
}

static struct node *pop(struct node *first) {
    struct node *next = first->next;
#ifdef FAULT
    if (first->key == 6)
        next = next->next; // the rest is lost
#endif
    free(first);
    return next;
}

static struct node *reversed(struct node *first) {
    struct node *done = NULL;
    while (first) {
        struct node *next = first->next;
        first->next = done;
        done = first;
        first = next;
    }
    return done;
}

int main(void) {
    list = malloc(sizeof *list);
    list->head = NULL;
    for (int i = 0; i < 9; ++i) {
        head = push(head, i);
        list->head = push(list->head, i);
    }
    list->head =
        reversed(list->head);
    for (int i = 0; i < 5; ++i) {
        head = pop(head); // RESULT
        list->head = pop(list->head);
    }
    return 0;
}
