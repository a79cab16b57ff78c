/* Allocating and freeing guarded blocks, whoever asks for them.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HEAPSTORY_GUARD_ALLOCATE_H
#define HEAPSTORY_GUARD_ALLOCATE_H

#include "quarantine.h"

#include <sys/single_threaded.h>

/* The usual ways. They call nothing, so they need no registers but those that a call may change,
 * and whatever is not as usual they leave to the others. */

/* The fence of a small ordinary block, without its site. */
static inline uint64_t small_fence(const char *user, uint64_t size) {
    return FENCE_TOP | ((((uintptr_t)user >> 4) ^ size) & 0xffffff) << 8 | FENCE_LOW;
}
#define SITE_MASK ((uint64_t)0xffff << 32)

/* A block that waited long enough is given out again, if nothing is wrong with it. */
static inline void *guard_allocate_again(size_t size, enum mark kind, struct caller caller) {
    struct thread *own = thread;
    if (unlikely(!own || size > MOST_SMALL || own->busy))
        return NULL;
    const struct recent *recent = recent_of(caller, own);
    struct ring *ring = &own->rings[piece_of(size)];
    if (unlikely(!is_recent(recent, caller) || ring->count <= own->enough))
        return NULL;
    thread_enter(own);
    char *user = ring->held[ring->first & own->mask];
    struct header *header = header_of(user);
    uint64_t before = header->what & WHAT_MASK;
    if (unlikely(before > MOST_SMALL || (header->fence ^ small_fence(user, before)) & ~SITE_MASK ||
                 !is_filled(user, filled_bytes(before, settings.fill_freed), FILL_FREED))) {
        thread_leave(own);
        return NULL;
    }
    ring->first++;
    ring->count--;
    __builtin_prefetch(ring->held[ring->first & own->mask] - HEADER, 1);
    thread_leave(own);
    fill(user, filled_bytes(size, settings.fill_new), FILL_NEW);
    uint64_t fence = small_fence(user, size) | (uint64_t)recent->site << 32;
    *header = (struct header){size | (uint64_t)scans_begun << WHAT_BITS, fence};
    store64(user + size, fence);
    __atomic_store_n(mark_at(user), (uint8_t)kind, __ATOMIC_RELEASE);
    return user;
}

/* Makes a live block the caller's own to free: of two threads that free it, one gets it. */
static inline bool guard_claim(uint8_t *mark, uint8_t live) {
    if (__libc_single_threaded) {
        *mark = MARK_QUARANTINE;
        return true;
    }
    return __atomic_compare_exchange_n(mark, &live, MARK_QUARANTINE, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
}

/* A small block that is whole, and was allocated by the same family, joins those that wait. False:
 * nothing was done. */
static inline bool guard_release_whole(char *user, enum mark kind, struct caller caller) {
    struct thread *own = thread;
    uint8_t *mark = (uintptr_t)user & (GRANULE - 1) ? NULL : mark_of(user);
    if (unlikely(!own || !mark || *mark != kind || own->busy))
        return false;
    const struct recent *recent = recent_of(caller, own);
    struct header *header = header_of(user);
    uint64_t size = header->what & WHAT_MASK, fence = header->fence;
    if (unlikely(size > MOST_SMALL || (fence ^ small_fence(user, size)) & ~SITE_MASK ||
                 load64(user + size) != fence || !is_recent(recent, caller)))
        return false;
    struct ring *ring = &own->rings[piece_of(size)];
    if (unlikely(ring->count > own->mask || !guard_claim(mark, (uint8_t)kind)))
        return false;
    fill(user, filled_bytes(size, settings.fill_freed), FILL_FREED);
    header->what = size | (uint64_t)recent->site << WHAT_BITS;
    thread_enter(own);
    ring->held[(ring->first + ring->count) & own->mask] = user;
    ring->count++;
    thread_leave(own);
    return true;
}

void *guard_allocate(size_t size, enum mark kind, struct caller caller);
void *guard_zeroed(size_t count, size_t size, struct caller caller);
/* The alignment is a power of two. */
void *guard_aligned(size_t alignment, size_t size, enum mark kind, struct caller caller);
void *guard_resize(void *user, size_t size, struct caller caller);
void guard_release(void *user, enum mark kind, struct caller caller);

/* The functions that we export under their usual names. */
extern void *guard_malloc(size_t size);
extern void *guard_new(size_t size);

#endif
