/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sites.h"
#include "program.h"
#include "unwind.h"

#include <string.h>

#define PROBES 64

struct site sites[SITES];
static uint16_t numbers[SITES]; /* by the key's hash; 0: free */
static uint32_t used = 1;

uint32_t site_count(void) {
    uint32_t count = __atomic_load_n(&used, __ATOMIC_ACQUIRE);
    return count < SITES ? count : SITES;
}

/* The next number, filled in before anybody can find it; 0 if there are too many. */
static uint32_t add(uint64_t key, const uintptr_t *frames, uint32_t count) {
    if (site_count() == SITES)
        return 0;
    uint32_t number = __atomic_fetch_add(&used, 1, __ATOMIC_ACQ_REL);
    if (number >= SITES)
        return 0;
    sites[number].key = key;
    memcpy(sites[number].frames, frames, count * sizeof *frames);
    sites[number].paged = program_is_named(frames, count);
    return number;
}

static uint32_t insert(uint64_t key, const uintptr_t *frames, uint32_t count) {
    uint32_t added = 0;
    for (uint32_t probe = 0; probe < PROBES; probe++) {
        uint16_t *place = &numbers[((uint32_t)key + probe) & (SITES - 1)];
        uint16_t found = __atomic_load_n(place, __ATOMIC_ACQUIRE);
        if (!found) {
            added = added ? added : add(key, frames, count);
            if (!added || __atomic_compare_exchange_n(place, &found, (uint16_t)added, false,
                                                      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
                return added;
        }
        if (sites[found].key == key) /* if two threads add it at once, one number is wasted */
            return found;
    }
    return 0;
}

/* Remembers a stack of few frames. A place that is not needed compares the return address, which
 * stands just below the caller's stack. */
static void remember(struct thread *own, struct caller caller, uint32_t site, uint32_t count,
                     const uintptr_t *frames, const int32_t *above) {
    struct recent *recent = recent_of(caller, own);
    thread_enter(own);
    recent->address = caller.address;
    recent->frame = caller.frame;
    recent->site = site;
    for (uint32_t i = 0; i < RECENT_FRAMES; i++) {
        recent->above[i] = i < count ? above[i] : -8;
        recent->frames[i] = i < count ? frames[i] : caller.address;
    }
    thread_leave(own);
}

uint32_t site_of_frames(const uintptr_t *frames, uint32_t count) {
    uint64_t key = 0;
    for (uint32_t i = 0; i < count; i++)
        key = (key ^ frames[i]) * 0xc2b2ae3d27d4eb4full;
    key ^= key >> 32;
    return insert(key ? key : 1, frames, count);
}

__attribute__((noinline)) uint32_t site_of_stack(struct caller caller, struct thread *own) {
    uintptr_t frames[MOST_FRAMES] = {caller.address};
    int32_t above[MOST_FRAMES];
    uint32_t most = settings.frames < MOST_FRAMES ? settings.frames : MOST_FRAMES - 1;
    uint32_t count = unwind(caller, most, frames + 1, above);
    uint32_t site = site_of_frames(frames, count + 1);
    if (own && !own->busy && most <= RECENT_FRAMES && !sites[site].paged && !settings.page_every)
        remember(own, caller, site, count, frames + 1, above);
    return site;
}
