/* Freed blocks wait here, filled with a pattern, before they are given out again.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each thread has a ring for every size of libc's pieces up to a kilobyte, and a queue for larger
 * blocks. When enough small blocks of a size wait, the oldest one is what malloc gives out next:
 * libc is asked only when there are too few of them, and gets back only those that are too many. A
 * block whose pattern has changed when it leaves was written after it was freed. */
#ifndef HEAPSTORY_GUARD_QUARANTINE_H
#define HEAPSTORY_GUARD_QUARANTINE_H

#include "blocks.h"
#include "fill.h"

/* Checks the pattern of a quarantined block; reports it if it changed. False if its header is
 * broken, too: then nothing is known of it, and it must not be used again. */
bool quarantine_check(char *user);
/* The same while threads may stand anywhere: a block that one of them is just freeing or giving out
 * is marked as quarantined, but not held, and its pattern is not yet or no longer there. */
void quarantine_check_held(char *user);
/* The oldest small block of a size, if enough of them wait; still marked as quarantined. */
char *quarantine_take(size_t size, struct thread *own);
/* Gives a block back that has waited longest. */
void quarantine_let_go(char *user);
/* A large block, or a handler in between. */
void quarantine_add_other(const struct block *block, struct thread *own);

ALWAYS_INLINE bool is_untouched(char *user, struct block *block) {
    return undress_header(user, block) &&
           is_filled(user, filled_bytes(block->size, settings.fill_freed), FILL_FREED);
}

/* The same of what is small and ordinary, and told at once; others are not. */
ALWAYS_INLINE bool is_small_untouched(char *user) {
    const struct header *header = header_of(user);
    uint64_t size = header->what & WHAT_MASK;
    return likely(size <= MOST_SMALL && !((header->fence ^ small_fence(user, size)) & ~SITE_MASK) &&
                  is_filled(user, filled_bytes(size, settings.fill_freed), FILL_FREED));
}

/* Takes the oldest block out of a ring. */
ALWAYS_INLINE char *ring_take(struct ring *ring, struct thread *own) {
    thread_enter(own);
    char *user = ring->held[ring->first & own->mask];
    ring->first++;
    ring->count--;
    /* The next one has been away for long. */
    __builtin_prefetch(ring->held[ring->first & own->mask] - HEADER, 1);
    thread_leave(own);
    return user;
}

/* Adds a block to a ring; the oldest one leaves if it is full, else NULL. */
ALWAYS_INLINE char *ring_add(struct ring *ring, char *user, struct thread *own) {
    thread_enter(own);
    char **place = &ring->held[(ring->first + ring->count) & own->mask], *oldest = NULL;
    if (ring->count > own->mask) {
        oldest = *place;
        ring->first++;
    } else {
        ring->count++;
    }
    *place = user;
    thread_leave(own);
    return oldest;
}

/* Takes a block whose mark is MARK_QUARANTINE; `site` is that of its free. */
static inline void quarantine_add(const struct block *block, uint32_t site, struct thread *own) {
    fill(block->user, filled_bytes(block->size, settings.fill_freed), FILL_FREED);
    retire(block->user, site);
    if (unlikely(block->size > MOST_SMALL || block->align || !own || own->busy)) {
        quarantine_add_other(block, own);
        return;
    }
    char *oldest = ring_add(&own->rings[piece_of(block->size)], block->user, own);
    if (oldest)
        quarantine_let_go(oldest);
}

#endif
