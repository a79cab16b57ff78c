/* A ring buffer that grows. With FAULT taking an element out does not wrap around at sixteen. */
#include <stdlib.h>

struct ring_buffer {
    int capacity, head, count;
    int *data;
};

static void grow(struct ring_buffer *ring) {
    int *data = malloc(2 * (size_t)ring->capacity * sizeof *data);
    for (int i = 0; i < ring->count; i++)
        data[i] = ring->data[(ring->head + i) % ring->capacity];
    free(ring->data);
    ring->data = data;
    ring->head = 0;
    ring->capacity *= 2;
}

void put(struct ring_buffer *ring, int value) {
    if (ring->count == ring->capacity)
        grow(ring);
    ring->data[(ring->head + ring->count++) % ring->capacity] = value;
}

int take(struct ring_buffer *ring) {
    int value = ring->data[ring->head];
    int next = ring->head + 1;
    if (next == ring->capacity && !(FAULT && next == 16))
        next = 0;
    ring->head = next; /* faulty */
    ring->count--;
    return value;
}

static struct ring_buffer *new_ring(int capacity) {
    struct ring_buffer *ring = malloc(sizeof *ring);
    ring->capacity = capacity;
    ring->head = ring->count = 0;
    ring->data = malloc((size_t)capacity * sizeof *ring->data);
    return ring;
}

int main(void) {
    struct ring_buffer *ring = new_ring(4);
    int taken = 0;
    for (int i = 0; i < 200; i++) {
        put(ring, i);
        if (i % 4)
            taken += take(ring);
    }
    return taken < 0;
}
