/* A sorted, counted, doubly-linked list under random inserts and removals.
   usage: sorted_list SEED FAULT; the faults are marked. */
#include <stdio.h>
#include <stdlib.h>

struct node {
    int key;
    struct node *next;
    struct node *prev;
};

struct list {
    struct node *head;
    int count;
};

static int fault;

static void insert(struct list *list, int key) {
    struct node *node = malloc(sizeof *node);
    struct node *before = NULL, *after = list->head;
    while (after && after->key < key) {
        before = after;
        after = after->next;
    }
    node->key = key;
    node->next = after;
    node->prev = before;
    if (after)
        after->prev = before && fault == 1 ? before : node; /* fault 1 */
    if (!before)
        list->head = node;
    else if (fault != 2) /* fault 2: not linked */
        before->next = node;
    list->count++;
}

static void remove_first_above(struct list *list, int key) {
    struct node *node = list->head;
    while (node && node->key <= key)
        node = node->next;
    if (!node)
        return;
    if (node->next)
        node->next->prev = node->prev;
    if (node->prev)
        node->prev->next = node->next;
    else
        list->head = node->next;
    if (fault != 3) /* fault 3: not counted */
        list->count--;
    free(node);
}

int main(int argc, char **argv) {
    unsigned state = argc > 1 ? (unsigned)atoi(argv[1]) * 2654435761u + 1 : 1;
    int wanted = argc > 2 ? atoi(argv[2]) : 0;
    struct list *list = calloc(1, sizeof *list);
    for (int i = 0; i < 60; i++) {
        state = state * 1103515245u + 12345u;
        int key = (int)(state >> 8 & 0xffff) * 64 + i;
        if (i == 50)
            fault = wanted;
        if ((i % 3 == 2 || i > 50) && fault != 2)
            remove_first_above(list, key / 2);
        if (i % 3 != 2)
            insert(list, key);
    }
    return list->count < 0;
}
