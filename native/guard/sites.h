/* Sites: the distinct stacks from which blocks are allocated and freed, by number.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The return address is always right. More frames come from frame pointers, as far as the code on
 * the way keeps them; what the walk reads lies between the stack pointer and the stack's end, so it
 * cannot fault, and whoever names the frames afterwards drops what is no return address.
 */
#ifndef HEAPSTORY_GUARD_SITES_H
#define HEAPSTORY_GUARD_SITES_H

#include "state.h"

#define SITES 65536
#define MOST_FRAMES 8 /* the return address included */

struct site {
    uint64_t key; /* 0: free */
    void *frames[MOST_FRAMES];
    /* Filled by walks over the live blocks. */
    uint64_t blocks, bytes;
};
extern struct site sites[SITES];

/* Set while a function of libc that allocates for its caller runs: the caller's address. */
extern __thread void *outer_caller __attribute__((tls_model("initial-exec")));

/* The number of a stack, 0 if there are too many of them. */
uint32_t site_of_stack(struct caller caller);
uint32_t site_insert(uint64_t key, void *const *frames, uint32_t count);

static inline uint64_t site_key(uintptr_t address) {
    uint64_t key = (uint64_t)address * 0x9e3779b97f4a7c15ull;
    return key ^ key >> 32;
}

static inline uint32_t site_of(struct caller caller) {
    if (settings.frames || unlikely(outer_caller != NULL))
        return site_of_stack(caller);
    uint64_t key = site_key((uintptr_t)caller.address);
    uint32_t slot = (uint32_t)key & (SITES - 1);
    if (likely(sites[slot].key == key))
        return slot;
    return site_insert(key, &caller.address, 1);
}

#endif
