/* A list that is too long to be drawn, and a table that is too wide. */
#include <stdlib.h>

struct item {
    struct item *next;
    int key;
};

struct table {
    struct item *slots[64];
    int count;
};

struct item *head;
struct table *table;

static struct item *item(int key, struct item *next) {
    struct item *item = malloc(sizeof *item);
    item->key = key;
    item->next = next;
    return item;
}

int main(void) {
    for (int i = 0; i < 100; i++)
        head = item(i, head);
    table = calloc(1, sizeof *table);
    for (int i = 0; i < 64; i++) {
        table->slots[i] = item(1000 + i, NULL);
        table->count++;
    }
    return 0;
}
