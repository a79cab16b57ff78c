/* A queue that frees an item while the list still leads to it. */
#include <stdlib.h>

struct item {
    struct item *next;
    int value;
};

static struct item *first, *last;

static void push(int value) {
    struct item *item = malloc(sizeof *item);
    item->next = NULL;
    item->value = value;
    if (last)
        last->next = item;
    else
        first = item;
    last = item;
}
static void drop_value(int value) {
    for (struct item **at = &first; *at; at = &(*at)->next)
        if ((*at)->value == value) {
            struct item *gone = *at;
            if (!FAULT)
                *at = gone->next;
            free(gone); /* faulty */
            return;
        }
}

int main(void) {
    for (int i = 0; i < 5; i++)
        push(i);
    drop_value(2);
    push(7);
    return 0;
}
