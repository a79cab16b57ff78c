/* The loop that clears the list stops at the last node. */
#include <stdio.h>
#include <stdlib.h>

struct item {
    struct item *next;
    double weight;
};

static void clear(struct item *item) {
#ifdef LEAK
    while (item && item->next) {
#else
    while (item) {
#endif
        struct item *next = item->next;
        free(item);
        item = next;
    }
}

int main(void) {
    struct item *first = NULL;
    double total = 0;
    for (int i = 0; i < 3; i++) {
        struct item *item = malloc(sizeof *item);
        if (!item)
            break;
        *item = (struct item){first, i + 0.5};
        first = item;
    }
    for (struct item *i = first; i; i = i->next)
        total += i->weight;
    printf("%.1f\n", total);
    clear(first);
    return 0;
}
