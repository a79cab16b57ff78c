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

// The stack below a function is nobody's between its calls: the padding of `one` is what an earlier
// iteration left there, or what was there before the loop.
struct padded {
    char tag;
    long value;
};
volatile char tag;

static long write_below(long value) {
    volatile long words[24];
    for (int i = 0; i < 24; i++) // loop: independent 3x72
        words[i] = i;
    return words[3] + value;
}
static long copy_padding(long value) {
    struct padded one, other;
    struct padded *volatile from = &one, *volatile to = &other;
    from->tag = tag;
    from->value = value;
    *to = *from;
    return to->value + to->tag;
}
long (*volatile turns[])(long) = {copy_padding, write_below};

__attribute__((noinline)) static void take_turns(int count) {
    for (int i = 0; i < count; i++) // loop: independent 1x6
        kept[i] = turns[i % 2](i);
}

int main(void) {
    for (int i = 0; i < length; i++) { // loop: independent 1x6
        records[i] = malloc(sizeof *records[i]);
        records[i]->key = i;
        records[i]->value = i * i;
    }
    work_off(length);
    take_turns(length);
    return grow(length) == 15 ? 0 : 1;
}
