/* The cleanup function of the list releases its first node only. */
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int n;
};

static void list_drop(struct node **list) {
    struct node *node = *list;
#ifdef LEAK
    free(node);
#else
    while (node) {
        struct node *next = node->next;
        free(node);
        node = next;
    }
#endif
}

static int sum_to(int n) {
    __attribute__((cleanup(list_drop))) struct node *list = NULL;
    for (int i = 1; i <= n; i++) {
        struct node *node = malloc(sizeof *node);
        if (!node)
            return -1;
        *node = (struct node){list, i};
        list = node;
    }
    int sum = 0;
    for (struct node *node = list; node; node = node->next)
        sum += node->n;
    return sum;
}

int main(void) {
    printf("%d\n", sum_to(4));
    return 0;
}
