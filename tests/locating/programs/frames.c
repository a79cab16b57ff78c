// Structures that begin in variables of live frames: a pointer in main, a record in each call of a
// function that calls itself.
#include <stdlib.h>

struct node {
    int key;
    struct node *next;
};
struct list {
    struct node *head;
    int count;
};

static struct node *pushed(struct node *next, int key) {
    struct node *node = malloc(sizeof *node);
    node->key = key;
    node->next = next;
    return node;
}

static struct node *popped(struct node *first) {
    struct node *next = first->next;
#ifdef FAULT
    if (first->key == FAULT)
        next = next->next; // FAULT: one is lost
#endif
    free(first);
    return next;
}

static void push(struct list *list, int key) {
    list->head = pushed(list->head, key);
    list->count++;
}

static void pop(struct list *list) {
    list->head = popped(list->head);
    list->count--;
}

static void work(int depth) {
    struct list list = {NULL, 0};
    for (int i = 0; i < 4; ++i)
        push(&list, 10 * depth + i);
    if (depth < 3)
        work(depth + 1);
    while (list.head)
        pop(&list);
}

int main(void) {
    struct node *first = NULL;
    for (int i = 100; i < 106; ++i)
        first = pushed(first, i);
    work(1);
    for (int i = 0; i < 3; ++i)
        first = popped(first);
    work(1);
    return 0; // three nodes are never freed
}
