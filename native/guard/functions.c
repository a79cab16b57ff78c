/* The allocation functions of the C library, under their own names.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "allocate.h"
#include "blocks.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

EXPORT void *malloc(size_t size) {
    return guard_make(size, MARK_MALLOC, CALLER);
}

/* Ours, also where the program has a function of that name. */
extern __typeof__(malloc) guard_malloc
    __attribute__((copy(malloc), alias("malloc"), visibility("hidden")));

EXPORT void free(void *user) {
    guard_unmake(user, MARK_MALLOC, CALLER);
}

EXPORT void *calloc(size_t count, size_t size) {
    size_t bytes;
    if (unlikely(__builtin_mul_overflow(count, size, &bytes) || bytes > MOST_SMALL))
        return guard_zeroed(count, size, CALLER);
    void *made = guard_make(bytes, MARK_MALLOC, CALLER);
    return likely(made != NULL) ? memset(made, 0, bytes) : NULL;
}

EXPORT void *realloc(void *user, size_t size) {
    if (!user)
        return guard_make(size, MARK_MALLOC, CALLER);
    if (!size) {
        guard_unmake(user, MARK_MALLOC, CALLER);
        return NULL;
    }
    return guard_resize(user, size, CALLER);
}

EXPORT void *reallocarray(void *user, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    if (!user)
        return guard_make(bytes, MARK_MALLOC, CALLER);
    if (!bytes) {
        guard_unmake(user, MARK_MALLOC, CALLER);
        return NULL;
    }
    return guard_resize(user, bytes, CALLER);
}

static bool is_power(size_t number) {
    return number && !(number & (number - 1));
}

EXPORT void *memalign(size_t alignment, size_t size) {
    while (!is_power(alignment))
        alignment = alignment ? (alignment | (alignment - 1)) + 1 : 16; /* as libc rounds it up */
    return guard_aligned(alignment, size, MARK_MALLOC, CALLER);
}

EXPORT void *aligned_alloc(size_t alignment, size_t size) {
    if (!is_power(alignment)) {
        errno = EINVAL;
        return NULL;
    }
    return guard_aligned(alignment, size, MARK_MALLOC, CALLER);
}

EXPORT int posix_memalign(void **result, size_t alignment, size_t size) {
    if (!is_power(alignment) || alignment % sizeof(void *))
        return EINVAL;
    int kept = errno;
    void *made = guard_aligned(alignment, size, MARK_MALLOC, CALLER);
    errno = kept;
    if (!made)
        return ENOMEM;
    *result = made;
    return 0;
}

EXPORT void *valloc(size_t size) {
    return guard_aligned((size_t)getpagesize(), size, MARK_MALLOC, CALLER);
}

EXPORT void *pvalloc(size_t size) {
    size_t page = (size_t)getpagesize();
    return guard_aligned(page, (size + page - 1) & ~(page - 1), MARK_MALLOC, CALLER);
}

/* Exactly what was asked for: a program that uses more finds the fence. */
EXPORT size_t malloc_usable_size(void *user) {
    uint8_t *mark = user ? mark_of(user) : NULL;
    return mark && is_live(*mark) ? size_of(header_of(user)->what) : 0;
}

/* Copies of strings: the block belongs to whoever asked for the copy. */
static void *copy(const void *text, size_t size, struct caller caller) {
    char *made = guard_make(size + 1, MARK_MALLOC, caller);
    if (made) {
        memcpy(made, text, size);
        made[size] = 0;
    }
    return made;
}

EXPORT char *strdup(const char *text) {
    return copy(text, strlen(text), CALLER);
}
EXPORT char *__strdup(const char *text) {
    return copy(text, strlen(text), CALLER);
}
EXPORT char *strndup(const char *text, size_t most) {
    return copy(text, strnlen(text, most), CALLER);
}
EXPORT char *__strndup(const char *text, size_t most) {
    return copy(text, strnlen(text, most), CALLER);
}
