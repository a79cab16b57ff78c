/* Allocators of a program's own: a bump arena that can be reset, a slab with a free list, and one
 * in the manner of dlmalloc with headers, splitting and consolidation. `node ADDRESS SIZE` is a
 * block handed out whose every word was accessed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifdef INLINE
#define NOINLINE static inline __attribute__((always_inline))
#else
#define NOINLINE __attribute__((noinline, noclone))
#endif

static char *memory(size_t size) {
    return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void say(const void *block, size_t size) {
    printf("node %lx %zx\n", (unsigned long)(uintptr_t)block, size);
}

static __attribute__((noinline, noclone)) void use(long *block, size_t size) {
    for (size_t i = 0; i < size / sizeof *block; i++)
        block[i] = (long)i;
    say(block, size);
}

/* ---- bump ---- */

static char *arena, *arena_end, *arena_at;

NOINLINE void *bump_alloc(size_t size) {
    void *result;
    if (!arena) {
        arena = arena_at = memory(1 << 16);
        arena_end = arena + (1 << 16);
    }
    result = arena_at;
    arena_at += (size + 15) & ~(size_t)15;
    return arena_at <= arena_end ? result : NULL;
}

NOINLINE void bump_reset(void) {
    arena_at = arena;
}

/* ---- slab ---- */

struct cell {
    struct cell *next;
};
static struct cell *cells;

NOINLINE void *slab_alloc(void) {
    struct cell *cell;
    if (!cells) {
        char *page = memory(4096);
        for (int i = 4096 / 48; i-- > 0;) {
            struct cell *fresh = (struct cell *)(page + 48 * i);
            fresh->next = cells;
            cells = fresh;
        }
    }
    cell = cells;
    cells = cell->next;
    return cell;
}

NOINLINE void slab_free(void *block) {
    struct cell *cell = block;
    cell->next = cells;
    cells = cell;
}

/* ---- chunks with headers ---- */

struct chunk {
    size_t size; /* of what follows */
    struct chunk *next;
};
static struct chunk *chunks;

NOINLINE void *chunk_alloc(size_t size) {
    struct chunk **at, *found;
    size = (size + 15) & ~(size_t)15;
    if (!chunks) {
        chunks = (struct chunk *)memory(1 << 15);
        chunks->size = (1 << 15) - sizeof *chunks;
    }
    for (at = &chunks; *at && (*at)->size < size; at = &(*at)->next)
        ;
    found = *at;
    if (!found)
        return NULL;
    if (found->size >= size + 64) {
        struct chunk *rest = (struct chunk *)((char *)(found + 1) + size);
        rest->size = found->size - size - sizeof *rest;
        rest->next = found->next;
        found->size = size;
        *at = rest;
    } else
        *at = found->next;
    return found + 1;
}

NOINLINE void chunk_free(void *block) {
    struct chunk *chunk = (struct chunk *)block - 1, **at = &chunks;
    while (*at && *at < chunk)
        at = &(*at)->next;
    chunk->next = *at;
    *at = chunk;
    if (chunk->next && (char *)(chunk + 1) + chunk->size == (char *)chunk->next) {
        chunk->size += sizeof *chunk + chunk->next->size;
        chunk->next = chunk->next->next;
    }
}

int main(int argc, char **argv) {
    static void *blocks[16];
    setvbuf(stdout, NULL, _IONBF, 0);
    if (argc < 2)
        return 1;
    if (strcmp(argv[1], "bump") == 0) {
        for (int i = 0; i < 10; i++)
            use(bump_alloc(24 + 16 * i), 24 + 16 * i);
        bump_reset();
        for (int i = 0; i < 4; i++)
            use(bump_alloc(200), 200);
    } else if (strcmp(argv[1], "slab") == 0) {
        for (int i = 0; i < 16; i++)
            use(blocks[i] = slab_alloc(), 48);
        for (int i = 0; i < 16; i += 3)
            slab_free(blocks[i]);
        for (int i = 0; i < 16; i += 3)
            use(slab_alloc(), 48);
    } else {
        for (int i = 0; i < 16; i++)
            use(blocks[i] = chunk_alloc(40 + 8 * i), 40 + 8 * i);
        for (int i = 15; i >= 8; i--)
            chunk_free(blocks[i]);
        use(chunk_alloc(600), 600);
    }
    return 0;
}
