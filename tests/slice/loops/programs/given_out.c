// Memory that an iteration gives back is new when a later one gets it again.
#include <stdlib.h>

struct record {
    long key, value;
};

struct record *records[6];
long kept[6];
volatile int length = 6;

__attribute__((noinline)) static void fill(struct record *record, long key) {
    record->key = key;
    record->value = 2 * key;
}

// The copy of an iteration lies where the record of the one before it lay.
__attribute__((noinline)) static void work_off(int count) {
    for (int i = 0; i < count; i++) { // loop: independent 1x6
        struct record *copy = malloc(sizeof *copy);
        fill(copy, i);
        kept[i] = records[i]->key + records[i]->value + copy->value;
        free(copy);
        free(records[i]);
    }
}

// What realloc and calloc put there is of this iteration, and goes into the next.
__attribute__((noinline)) static long grow(int count) {
    long *all = calloc(1, sizeof *all);
    for (int i = 1; i < count; i++) { // loop: carried 1x5; flow all 1; flow node 1
        all = realloc(all, (i + 64) * 64 * sizeof *all);
        all[i] = all[i - 1] + 3;
    }
    long last = all[count - 1];
    free(all);
    return last;
}

int main(void) {
    for (int i = 0; i < length; i++) { // loop: independent 1x6
        records[i] = malloc(sizeof *records[i]);
        records[i]->key = i;
        records[i]->value = i * i;
    }
    work_off(length);
    return grow(length) == 15 ? 0 : 1;
}
