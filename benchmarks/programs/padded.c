/* Every block is as much larger as the guard makes it, and nothing is checked: what 24 bytes cost.
 * SPDX-License-Identifier: GPL-2.0-or-later
 * A library to preload. Eight of the bytes before a block say where libc's begins. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

enum { BEFORE = 16, MORE = 24 };

static void *made(char *base, size_t before) {
    if (base)
        ((size_t *)(base + before))[-1] = before;
    return base ? base + before : NULL;
}

static char *base_of(void *block) {
    return (char *)block - ((size_t *)block)[-1];
}

void *malloc(size_t size) {
    return made(__libc_malloc(size + MORE), BEFORE);
}

void *calloc(size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    return made(__libc_calloc(1, bytes + MORE), BEFORE);
}

void free(void *block) {
    if (block)
        __libc_free(base_of(block));
}

void *memalign(size_t alignment, size_t size) {
    if (alignment <= BEFORE)
        return malloc(size);
    return made(__libc_memalign(alignment, size + alignment + MORE - BEFORE), alignment);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    *result = memalign(alignment, size);
    return *result ? 0 : ENOMEM;
}

size_t malloc_usable_size(void *block) {
    if (!block)
        return 0;
    size_t piece = ((size_t *)base_of(block))[-1] & ~(size_t)7; /* of libc, its own 8 included */
    return piece - 8 - (size_t)((char *)block - base_of(block));
}

void *realloc(void *block, size_t size) {
    if (!block)
        return malloc(size);
    if (!size) {
        free(block);
        return NULL;
    }
    size_t before = ((size_t *)block)[-1];
    if (before == BEFORE)
        return made(__libc_realloc(base_of(block), size + MORE), BEFORE);
    char *moved = malloc(size); /* it was aligned */
    size_t old = malloc_usable_size(block);
    for (size_t i = 0; moved && i < old && i < size; i++)
        moved[i] = ((char *)block)[i];
    if (moved)
        free(block);
    return moved;
}
