/* Growing the table moves the entries and forgets the old array of buckets. */
#include <stdio.h>
#include <stdlib.h>

struct entry {
    struct entry *next;
    unsigned key;
};
struct table {
    struct entry **bucket;
    unsigned size, count;
};

static void grow(struct table *t) {
    unsigned size = t->size * 2;
    struct entry **bucket = calloc(size, sizeof *bucket);
    if (!bucket)
        return;
    for (unsigned i = 0; i < t->size; i++)
        while (t->bucket[i]) {
            struct entry *e = t->bucket[i];
            t->bucket[i] = e->next;
            e->next = bucket[e->key % size];
            bucket[e->key % size] = e;
        }
#ifndef LEAK
    free(t->bucket);
#endif
    t->bucket = bucket;
    t->size = size;
}

int main(void) {
    struct table t = {calloc(2, sizeof *t.bucket), 2, 0};
    if (!t.bucket)
        return 0;
    for (unsigned key = 0; key < 9; key++) {
        if (t.count >= t.size)
            grow(&t);
        struct entry *e = malloc(sizeof *e);
        if (!e)
            break;
        *e = (struct entry){t.bucket[key % t.size], key};
        t.bucket[key % t.size] = e;
        t.count++;
    }
    printf("%u\n", t.count);
    for (unsigned i = 0; i < t.size; i++)
        for (struct entry *e = t.bucket[i], *next; e; e = next) {
            next = e->next;
            free(e);
        }
    free(t.bucket);
    return 0;
}
