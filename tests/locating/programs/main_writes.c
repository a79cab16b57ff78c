// main writes a field of the structure once, and frees what a field points to: its operations are
// still those of push.
#include <stdlib.h>

struct node {
    int key;
    char *note;
    struct node *next;
};

static struct node *head;

static void push(int key) {
    struct node *node = malloc(sizeof *node);
    node->key = key;
    node->note = malloc(8);
    node->next = head;
    head = node;
#ifdef FAULT
    if (key == 7)
        node->next = node; // FAULT
#endif
}

int main(void) {
    for (int i = 0; i < 12; ++i) {
        push(i);
        if (i == 3)
            head->key = 30;
    }
    free(head->note);
    head->note = NULL;
    return 0;
}
