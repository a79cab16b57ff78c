/* Allocating and freeing guarded blocks, whoever asks for them.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HEAPSTORY_GUARD_ALLOCATE_H
#define HEAPSTORY_GUARD_ALLOCATE_H

#include "quarantine.h"

#include <sys/single_threaded.h>

/* The usual ways: a small block, a stack that was seen lately, nothing wrong. They are inlined into
 * the functions that programs call. NULL or false: nothing was done, and the others see to it. */

/* A small block of a stack that is known, from libc. NULL without memory. */
void *guard_from_libc(size_t size, enum mark kind, uint32_t site);

/* A block that waited long enough is given out again, if nothing is wrong with it. */
ALWAYS_INLINE void *guard_again(size_t size, enum mark kind, uint32_t site, struct ring *ring,
                                struct thread *own) {
    thread_enter(own);
    char *user = ring->held[ring->first & own->mask];
    if (unlikely(!is_small_untouched(user))) {
        thread_leave(own);
        return NULL;
    }
    ring->first++;
    ring->count--;
    __builtin_prefetch(ring->held[ring->first & own->mask] - HEADER, 1);
    thread_leave(own);
    fill(user, filled_bytes(size, settings.fill_new), FILL_NEW);
    dress_small(user, size, site);
    __atomic_store_n(mark_at(user), (uint8_t)kind, __ATOMIC_RELEASE);
    return user;
}

/* Makes a live block the caller's own to free: of two threads that free it, one gets it. */
ALWAYS_INLINE bool guard_claim(uint8_t *mark, uint8_t live) {
    if (__libc_single_threaded) {
        *mark = MARK_QUARANTINE;
        return true;
    }
    return __atomic_compare_exchange_n(mark, &live, MARK_QUARANTINE, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
}

/* A block that is whole, and was allocated by the same family, joins those that wait. */
ALWAYS_INLINE bool guard_release_usual(char *user, enum mark kind, struct caller caller) {
    struct thread *own = thread;
    uint8_t *mark = (uintptr_t)user & (GRANULE - 1) ? NULL : mark_of(user);
    if (unlikely(!own || !mark || *mark != kind || own->busy))
        return false;
    const struct recent *recent = recent_of(caller, own);
    struct header *header = header_of(user);
    uint64_t size = header->what & WHAT_MASK, fence = header->fence;
    if (unlikely(size > MOST_SMALL || (fence ^ small_fence(user, size)) & ~SITE_MASK ||
                 load64(user + size) != fence || !is_recent(recent, caller) ||
                 !guard_claim(mark, (uint8_t)kind)))
        return false;
    fill(user, filled_bytes(size, settings.fill_freed), FILL_FREED);
    header->what = size | (uint64_t)recent->site << WHAT_BITS;
    char *oldest = ring_add(&own->rings[piece_of(size)], user, own);
    if (oldest)
        quarantine_let_go(oldest);
    return true;
}

void *guard_allocate(size_t size, enum mark kind, struct caller caller);
/* For larger blocks: small ones are filled with zeros by whoever wants them. */
void *guard_zeroed(size_t count, size_t size, struct caller caller);
/* The alignment is a power of two. */
void *guard_aligned(size_t alignment, size_t size, enum mark kind, struct caller caller);
void *guard_resize(void *user, size_t size, struct caller caller);
void guard_release(void *user, enum mark kind, struct caller caller);

/* Either way. */
ALWAYS_INLINE void *guard_make(size_t size, enum mark kind, struct caller caller) {
    struct thread *own = thread;
    if (unlikely(!own || size > MOST_SMALL || own->busy))
        return guard_allocate(size, kind, caller);
    const struct recent *recent = recent_of(caller, own);
    if (unlikely(!is_recent(recent, caller)))
        return guard_allocate(size, kind, caller);
    struct ring *ring = &own->rings[piece_of(size)];
    if (ring->count <= own->enough)
        return guard_from_libc(size, kind, recent->site);
    void *again = guard_again(size, kind, recent->site, ring, own);
    return likely(again != NULL) ? again : guard_allocate(size, kind, caller);
}
ALWAYS_INLINE void guard_unmake(void *user, enum mark kind, struct caller caller) {
    if (likely(user != NULL) && unlikely(!guard_release_usual(user, kind, caller)))
        guard_release(user, kind, caller);
}

/* The functions that we export under their usual names. */
extern void *guard_malloc(size_t size);
extern void *guard_new(size_t size);

#endif
