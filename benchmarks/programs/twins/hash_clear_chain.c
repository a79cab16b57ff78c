/* Clearing the table releases the first entry of each bucket and drops the chain behind it. */
#include <stdio.h>
#include <stdlib.h>

enum { BUCKETS = 3 };
struct entry {
    struct entry *next;
    int key;
};
static struct entry *bucket[BUCKETS];

static void add(int key) {
    struct entry *e = malloc(sizeof *e);
    if (!e)
        return;
    *e = (struct entry){bucket[key % BUCKETS], key};
    bucket[key % BUCKETS] = e;
}

static void clear(void) {
    for (int i = 0; i < BUCKETS; i++) {
        struct entry *e = bucket[i];
        bucket[i] = NULL;
        while (e) {
            struct entry *next = e->next;
            free(e);
            e = next;
#ifdef LEAK
            break;
#endif
        }
    }
}

int main(void) {
    for (int key = 0; key < 7; key++)
        add(key * 5);
    printf("%d\n", bucket[0] ? bucket[0]->key : -1);
    clear();
    return 0;
}
