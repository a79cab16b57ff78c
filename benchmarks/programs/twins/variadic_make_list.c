/* The list made of the arguments starts over when an argument is negative. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static void drop(struct node *n) {
    while (n) {
        struct node *next = n->next;
        free(n);
        n = next;
    }
}

static struct node *list_of(int count, ...) {
    struct node *head = NULL;
    va_list list;
    va_start(list, count);
    for (int i = 0; i < count; i++) {
        int value = va_arg(list, int);
        if (value < 0) {
#ifndef LEAK
            drop(head);
#endif
            head = NULL;
            continue;
        }
        struct node *n = malloc(sizeof *n);
        if (!n)
            break;
        *n = (struct node){value, head};
        head = n;
    }
    va_end(list);
    return head;
}

int main(void) {
    struct node *list = list_of(5, 1, 2, -1, 3, 4);
    for (struct node *n = list; n; n = n->next)
        printf("%d\n", n->value);
    drop(list);
    return 0;
}
