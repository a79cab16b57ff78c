/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sites.h"

#include <string.h>

#define PROBES 64

struct site sites[SITES];
__thread void *outer_caller;
extern void *__libc_stack_end; /* of the first thread, from the loader */

uint32_t site_insert(uint64_t key, void *const *frames, uint32_t count) {
    for (uint32_t probe = 0; probe < PROBES; probe++) {
        uint32_t slot = ((uint32_t)key + probe) & (SITES - 1);
        if (slot == 0)
            continue; /* 0 means none */
        uint64_t found = __atomic_load_n(&sites[slot].key, __ATOMIC_ACQUIRE);
        if (found == key)
            return slot;
        if (!found && __atomic_compare_exchange_n(&sites[slot].key, &found, key, false,
                                                  __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            memcpy(sites[slot].frames, frames, count * sizeof *frames);
            return slot;
        }
        if (found == key)
            return slot;
    }
    return 0;
}

/* Where the stack that holds `here` ends. A thread's own block (fs:0x10) stands at the top of a
 * stack that libc made; other stacks (coroutines, signal stacks) are not followed. */
static uintptr_t stack_end(uintptr_t here) {
    uintptr_t self;
    __asm__("movq %%fs:0x10, %0" : "=r"(self));
    if (here < self && self - here < ((uintptr_t)64 << 20))
        return self;
    uintptr_t first = (uintptr_t)__libc_stack_end;
    return here < first && first - here < ((uintptr_t)64 << 20) ? first : 0;
}

uint32_t site_of_stack(struct caller caller) {
    void *frames[MOST_FRAMES] = {caller.address};
    uint32_t count = 1;
    if (outer_caller)
        frames[count++] = outer_caller;
    uint64_t key = site_key((uintptr_t)caller.address) + site_key((uintptr_t)outer_caller);
    uintptr_t here = (uintptr_t)__builtin_frame_address(0), end = stack_end(here);
    void **frame = caller.frame;
    uint32_t most = settings.frames + 1 < MOST_FRAMES ? settings.frames + 1 : MOST_FRAMES;
    while (count < most && (uintptr_t)frame > here && (uintptr_t)frame + 16 <= end &&
           !((uintptr_t)frame & 7)) {
        frames[count++] = frame[1];
        key = (key ^ (uintptr_t)frame[1]) * 0xc2b2ae3d27d4eb4full;
        here = (uintptr_t)frame;
        frame = frame[0];
    }
    key ^= key >> 32;
    uint32_t slot = (uint32_t)key & (SITES - 1);
    if (likely(sites[slot].key == key && key))
        return slot;
    return site_insert(key ? key : 1, frames, count);
}
