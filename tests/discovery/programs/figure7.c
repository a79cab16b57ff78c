/* The program of the MG++ paper's Figures 3 and 7: five blocks, linked; the second and fourth are
 * freed, then the fifth, which the allocator joins to the fourth. With glibc's malloc ("malloc") or
 * an allocator in the manner of dlmalloc ("dl"): a header before each block, the free chunks in a
 * doubly linked list whose links are in the blocks, neighbours joined by their headers.
 * ./figure7 WHICH STEPS: stops after so many of link, free 2, free 4, free 5. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define SIZE 2000 /* too large for glibc's lists of small blocks */

/* ---- in the manner of dlmalloc ---- */

struct chunk {
    size_t previous_size; /* if the chunk before is free */
    size_t size;          /* bit 0: the chunk before is in use */
    struct chunk *next, *previous; /* in the list, if it is free */
};
#define HEADER 16
#define USED 1ul
static struct chunk *list; /* the head lies in the first chunk of the memory */
static struct chunk *top;

static struct chunk *behind(struct chunk *chunk) {
    return (struct chunk *)((char *)chunk + (chunk->size & ~USED));
}

static NOINLINE void *dl_alloc(size_t size) {
    struct chunk *chunk;
    if (!list) {
        list = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        list->next = list->previous = list;
        list->size = sizeof *list | USED;
        top = behind(list);
        top->size = (1 << 16) - 2 * sizeof *list | USED;
    }
    size = (size + HEADER + 15) & ~15ul;
    chunk = top;
    top = (struct chunk *)((char *)chunk + size);
    top->size = (chunk->size & ~USED) - size | USED;
    chunk->size = size | USED;
    return (char *)chunk + HEADER;
}

static NOINLINE void dl_free(void *block) {
    struct chunk *chunk = (struct chunk *)((char *)block - HEADER);
    if (!(chunk->size & USED)) { /* join it to the one before */
        struct chunk *before = (struct chunk *)((char *)chunk - chunk->previous_size);
        before->size += chunk->size & ~USED;
        chunk = before;
    } else {
        chunk->next = list->next;
        chunk->previous = list;
        list->next->previous = chunk;
        list->next = chunk;
    }
    behind(chunk)->previous_size = chunk->size & ~USED;
    behind(chunk)->size &= ~USED;
}

/* ---- the figure ---- */

struct item {
    long val;
    struct item *next;
    char rest[SIZE];
};

static NOINLINE void link_to(struct item *from, struct item *to) {
    from->next = to;
}

int main(int argc, char **argv) {
    int is_dl = argc > 1 && strcmp(argv[1], "dl") == 0, steps = argc > 2 ? atoi(argv[2]) : 0;
    struct item *items[6];
    for (int i = 0; i < 6; i++) { /* the sixth keeps the fifth from the rest of the memory */
        items[i] = is_dl ? dl_alloc(sizeof *items[i]) : malloc(sizeof *items[i]);
        items[i]->val = i;
    }
    for (int i = 0; i < 5; i++)
        link_to(items[i], items[i + 1]);
    for (int i = 0; i < 3 && i < steps; i++) {
        struct item *item = items[i == 0 ? 1 : i == 1 ? 3 : 4];
        if (is_dl)
            dl_free(item);
        else
            free(item);
    }
    for (int i = 0; i < 6; i++)
        dprintf(1, "node %lx %zx\n", (unsigned long)items[i], sizeof *items[i]);
    return 0;
}
