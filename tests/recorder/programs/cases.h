/* Cases of system calls that write memory: the memory lies on the heap, holds 0xa5 or what the call
 * reads, and is shown after the call. A case whose memory the call left as it was says so. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 16
static struct {
    unsigned char *start, *before;
    size_t size;
} rooms[MOST];
static unsigned n_rooms;
static const char *name = "";

/* Memory of a case, with `size` bytes at `from` in it, or 0xa5. */
static void *room(size_t size, const void *from) {
    unsigned char *start = malloc(size), *before = malloc(size);
    if (from)
        memcpy(start, from, size);
    else
        memset(start, 0xa5, size);
    memcpy(before, start, size);
    rooms[n_rooms].start = start;
    rooms[n_rooms].before = before;
    rooms[n_rooms++].size = size;
    return start;
}

static void *number(long value) {
    return room(sizeof value, &value);
}

/* What is in `text` behind a call that failed, for who reads the test's output. */
static void show(long result) {
    for (unsigned i = 0; i < n_rooms; i++) {
        unsigned char *start = rooms[i].start;
        printf("%s %s %p ", memcmp(start, rooms[i].before, rooms[i].size) ? "wrote" : "left", name,
               (void *)start);
        for (size_t k = 0; k < rooms[i].size; k++)
            printf("%02x", start[k]);
        if (result < 0)
            printf(" errno=%d", errno);
        putchar('\n');
    }
    n_rooms = 0;
}

#define CASE(text, call)                                                                           \
    do {                                                                                           \
        name = text;                                                                               \
        show((long)(call));                                                                        \
    } while (0)
#define R(type) room(sizeof(type), NULL)
#define COPY(value) room(sizeof(value), &(value))
