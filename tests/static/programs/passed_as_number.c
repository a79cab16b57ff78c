/* A pointer is handed over as a number, and kept in an array of numbers. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct array {
    uintptr_t *elements;
    unsigned count, room;
};

static int push(struct array *array, uintptr_t element) {
    if (array->count == array->room) {
        uintptr_t *grown = malloc((array->room + 8) * sizeof *grown);
        if (!grown)
            return -1;
        if (array->count)
            memcpy(grown, array->elements, array->count * sizeof *grown);
        free(array->elements);
        array->elements = grown;
        array->room += 8;
    }
    array->elements[array->count++] = element;
    return 0;
}

int remembered(struct array *array, int value) {
    int *entry = malloc(sizeof *entry);
    if (!entry)
        return -1;
    if (0 != push(array, (uintptr_t)entry)) {
        free(entry);
        return -1;
    }
    *entry = value;
    return 0;
}

int leak_remembered(struct array *array, int value) {
    int *entry = malloc(sizeof *entry);
    if (!entry)
        return -1;
    if (0 != push(array, (uintptr_t)entry))
        return -1; /* LEAK */
    *entry = value;
    return 0;
}
