/* Sites: the distinct stacks from which blocks are allocated and freed, by number.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The return address is always right. The callers beyond it come from unwinding, which the same
 * stack needs only once: afterwards its words are compared with what they were. */
#ifndef HEAPSTORY_GUARD_SITES_H
#define HEAPSTORY_GUARD_SITES_H

#include "thread.h"

#define SITES 65536
#define MOST_FRAMES 8 /* the return address included */

struct site {
    uint64_t key; /* 0: free */
    uintptr_t frames[MOST_FRAMES];
    bool paged; /* its blocks get pages of their own */
    /* Filled by walks over the live blocks. */
    uint64_t blocks, bytes;
};
extern struct site sites[SITES];

/* The numbers below this are in use, 0 (for all that are too many) among them. They are given out
 * in order, so that a program of few sites touches few pages. */
uint32_t site_count(void);

/* The number of a stack that was not seen lately, 0 if there are too many of them. */
uint32_t site_of_stack(struct caller caller, struct thread *own);
/* The number of a stack that was found some other way. */
uint32_t site_of_frames(const uintptr_t *frames, uint32_t count);

ALWAYS_INLINE struct recent *recent_of(struct caller caller, struct thread *own) {
    uint64_t hash = (caller.address ^ caller.frame << 20) * 0x9e3779b97f4a7c15ull;
    return &own->recent[hash >> (64 - RECENT_BITS)];
}

ALWAYS_INLINE uintptr_t word_above(struct caller caller, int32_t above) {
    return *(uintptr_t *)((char *)caller_sp(caller) + above);
}

ALWAYS_INLINE bool is_recent(const struct recent *recent, struct caller caller) {
    return recent->address == caller.address && recent->frame == caller.frame &&
           word_above(caller, recent->above[0]) == recent->frames[0] &&
           word_above(caller, recent->above[1]) == recent->frames[1] &&
           word_above(caller, recent->above[2]) == recent->frames[2];
}

static inline uint32_t site_of(struct caller caller, struct thread *own) {
    if (likely(own != NULL)) {
        const struct recent *recent = recent_of(caller, own);
        if (likely(is_recent(recent, caller)))
            return recent->site;
    }
    return site_of_stack(caller, own);
}

#endif
