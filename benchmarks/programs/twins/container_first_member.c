/* The node taken off the list is released only if it is marked as fixed. */
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *next;
};
struct lease {
    struct node node;
    int address, fixed;
};

static struct lease *take(struct node **list, int address) {
    for (; *list; list = &(*list)->next) {
        struct lease *l = (struct lease *)*list;
        if (l->address == address) {
            *list = l->node.next;
            return l;
        }
    }
    return NULL;
}

int main(void) {
    struct node *leases = NULL;
    for (int i = 0; i < 3; i++) {
        struct lease *l = malloc(sizeof *l);
        if (!l)
            break;
        *l = (struct lease){{leases}, 10 + i, i == 2};
        leases = &l->node;
    }
    struct lease *l = take(&leases, 11);
    printf("%d\n", l ? l->address : 0);
#ifdef LEAK
    if (l && l->fixed)
        free(l);
#else
    free(l);
#endif
    while (leases) {
        struct node *next = leases->next;
        free((struct lease *)leases);
        leases = next;
    }
    return 0;
}
