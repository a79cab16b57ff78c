/* Ordered list: singly linked, ascending, each key once. */
#include "driver.h"

struct item {
    int key;
    struct item *next;
};

struct ordered {
    struct item *head;
};

static struct ordered *ordered_new(void) {
    struct ordered *list = malloc(sizeof *list);
    must_have(list != NULL);
    list->head = NULL;
    return list;
}

static struct item *item_new(int key, struct item *next) {
    struct item *item = malloc(sizeof *item);
    must_have(item != NULL);
    item->key = key;
    item->next = next;
    return item;
}

static int ordered_insert(struct ordered *list, int key) {
    struct item *before = NULL;
    struct item *after = list->head;
    while (after && after->key < key) {
        before = after;
        after = after->next;
    }
    if (after && after->key == key)
        return 0;
    if (before)
        before->next = item_new(key, after);
    else
        list->head = item_new(key, after);
    return 1;
}

static int ordered_remove(struct ordered *list, int key) {
    struct item *before = NULL;
    struct item *item = list->head;
    while (item && item->key < key) {
        before = item;
        item = item->next;
    }
    if (!item || item->key != key)
        return 0;
    if (before)
        before->next = item->next;
    else
        list->head = item->next;
    free(item);
    return 1;
}

/* Removes every key in [low, high] and says how many there were. */
static int ordered_remove_range(struct ordered *list, int low, int high) {
    struct item *before = NULL;
    struct item *item = list->head;
    int removed = 0;
    while (item && item->key < low) {
        before = item;
        item = item->next;
    }
    while (item && item->key <= high) {
        struct item *next = item->next;
        free(item);
        item = next;
        removed++;
    }
    if (before)
        before->next = item;
    else
        list->head = item;
    return removed;
}

/* Moves all items of the second list into the first; keys that are in both are dropped from the
   second. */
static int ordered_merge(struct ordered *list, struct ordered *other) {
    struct item *before = NULL;
    struct item *item = list->head;
    int moved = 0;
    while (other->head) {
        struct item *taken = other->head;
        while (item && item->key < taken->key) {
            before = item;
            item = item->next;
        }
        other->head = taken->next;
        if (item && item->key == taken->key) {
            free(taken);
            continue;
        }
        taken->next = item;
        if (before)
            before->next = taken;
        else
            list->head = taken;
        before = taken;
        moved++;
    }
    return moved;
}

static int ordered_contains(const struct ordered *list, int key) {
    const struct item *item = list->head;
    while (item && item->key < key)
        item = item->next;
    return item && item->key == key;
}

static unsigned ordered_digest(const struct ordered *list, long *length) {
    unsigned digest = 0;
    *length = 0;
    for (const struct item *item = list->head; item; item = item->next) {
        digest = digest * 31 + (unsigned)item->key;
        ++*length;
    }
    return digest;
}

static int merge_some(struct ordered *list, struct run *run, long range) {
    struct ordered *other = ordered_new();
    int moved;
    for (int i = 0; i < 3; i++)
        ordered_insert(other, (int)run_below(run, range));
    moved = ordered_merge(list, other);
    free(other);
    return moved;
}

int main(int argc, char **argv) {
    struct run run = run_from(argc, argv);
    struct ordered *list = ordered_new();
    long range = 10 * run.nodes;
    long count = 0;
    long found = 0;
    long length;
    unsigned digest;
    while (count < run.nodes)
        count += ordered_insert(list, (int)run_below(&run, range));
    for (long i = 0; i < run.operations; i++) {
        int key = (int)run_below(&run, range);
        switch (run_below(&run, 8)) {
        case 0:
            count += merge_some(list, &run, range);
            break;
        case 1:
            count -= ordered_remove_range(list, key, key + 30);
            break;
        case 2:
            found += ordered_contains(list, key);
            break;
        case 3:
            count -= ordered_remove(list, key);
            break;
        default:
            count += ordered_insert(list, key);
        }
    }
    digest = ordered_digest(list, &length);
    printf("%ld %ld %ld %u\n", count, length, found, digest);
    return 0;
}
