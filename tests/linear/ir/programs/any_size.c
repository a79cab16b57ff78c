#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
struct ring {
    pthread_mutex_t m;
    size_t elem_size, capacity, head, tail;
    char *data;
};
struct ring *ring_create(size_t elem_size, size_t capacity) {
    struct ring *r = malloc(sizeof *r);
    if (!r)
        return NULL;
    pthread_mutex_init(&r->m, NULL);
    r->elem_size = elem_size;
    r->capacity = capacity;
    r->head = r->tail = 0;
    r->data = malloc(elem_size * capacity);
    return r;
}
bool ring_push(struct ring *r, const void *item) {
    pthread_mutex_lock(&r->m);
    bool room = r->tail - r->head < r->capacity;
    if (room)
        memcpy(r->data + (r->tail++ % r->capacity) * r->elem_size, item, r->elem_size);
    pthread_mutex_unlock(&r->m);
    return room;
}
bool ring_pop(struct ring *r, void *item) {
    pthread_mutex_lock(&r->m);
    bool some = r->tail != r->head;
    if (some)
        memcpy(item, r->data + (r->head++ % r->capacity) * r->elem_size, r->elem_size);
    pthread_mutex_unlock(&r->m);
    return some;
}
