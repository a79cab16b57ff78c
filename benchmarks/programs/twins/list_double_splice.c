/* Splicing hangs the second list behind the first node and loses the nodes after it. */
#include <stdio.h>
#include <stdlib.h>

struct block {
    struct block *prev, *next;
    int id;
};

static struct block *chain(int from, int to) {
    struct block *head = NULL;
    for (int id = to; id-- > from;) {
        struct block *b = malloc(sizeof *b);
        if (!b)
            break;
        *b = (struct block){NULL, head, id};
        if (head)
            head->prev = b;
        head = b;
    }
    return head;
}

static struct block *splice(struct block *a, struct block *b) {
    if (!a)
        return b;
    struct block *end = a;
#ifndef LEAK
    while (end->next)
        end = end->next;
#endif
    end->next = b;
    if (b)
        b->prev = end;
    return a;
}

int main(void) {
    struct block *all = splice(chain(0, 3), chain(10, 12));
    while (all) {
        struct block *next = all->next;
        printf("%d\n", all->id);
        free(all);
        all = next;
    }
    return 0;
}
