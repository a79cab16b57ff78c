/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "paged.h"
#include "findings.h"
#include "kernel.h"

#include <sys/mman.h>

#define PLACES 1024
#define PAGE ((size_t)4096)
#define DATA (8 * PAGE)
#define PLACE (DATA + PAGE) /* with the guard behind it; the first one is before all of them */
#define SLACK_BYTE 0xfb

static char *places;
static uint32_t next; /* place to try first */
static struct place {
    uint32_t state;     /* 0: free, 1: live, 2: being changed */
    struct block block; /* that is there, or was last */
} all[PLACES];

bool paged_start(void) {
    long made = kernel(SYS_mmap, 0, PAGE + PLACES * PLACE, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made < 0 && made > -4096)
        return false;
    uintptr_t start = (uintptr_t)made + PAGE;
    if (!marks_map(start, start + PLACES * PLACE))
        return false;
    places = (char *)start;
    return true;
}

bool paged_wanted(uint32_t site, struct thread *own) {
    if (!places)
        return false;
    if (sites[site].paged)
        return true;
    if (!settings.page_every || !own || ++own->since_paged < settings.page_every)
        return false;
    own->since_paged = 0;
    return true;
}

static char *data_of(uint32_t number) {
    return places + number * PLACE;
}

/* A place of one's own, or PLACES. */
static uint32_t take_place(void) {
    for (uint32_t i = 0; i < PLACES; i++) {
        uint32_t number = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED) % PLACES, is_free = 0;
        if (__atomic_compare_exchange_n(&all[number].state, &is_free, 2, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            return number;
    }
    return PLACES;
}

void *paged_allocate(size_t size, enum mark kind, uint32_t site) {
    size_t whole = (size + GRANULE - 1) & ~(size_t)(GRANULE - 1);
    uint32_t number = whole + HEADER <= DATA ? take_place() : PLACES;
    if (number == PLACES)
        return NULL;
    char *end = data_of(number) + DATA, *user = end - whole;
    char *first = (char *)((uintptr_t)(user - HEADER) & ~(PAGE - 1));
    if (kernel(SYS_mprotect, first, end - first, PROT_READ | PROT_WRITE)) {
        __atomic_store_n(&all[number].state, 0, __ATOMIC_RELEASE);
        return NULL;
    }
    memset(user, FILL_NEW, size);
    memset(user + size, SLACK_BYTE, whole - size);
    uint64_t what = size | (uint64_t)ALIGN_PAGED << SIZE_BITS;
    *header_of(user) =
        (struct header){what | (uint64_t)scans_begun << WHAT_BITS, fence_of(user, what, site)};
    all[number].block = block_of(user, what, site);
    marks_touch((uintptr_t)user);
    __atomic_store_n(mark_at(user), (uint8_t)kind, __ATOMIC_RELEASE);
    __atomic_store_n(&all[number].state, 1, __ATOMIC_RELEASE);
    return user;
}

static bool is_slack_whole(const struct block *block) {
    size_t whole = (block->size + GRANULE - 1) & ~(size_t)(GRANULE - 1);
    for (size_t i = block->size; i < whole; i++)
        if ((uint8_t)block->user[i] != SLACK_BYTE)
            return false;
    return true;
}

void paged_release(char *user, uint32_t site) {
    uint32_t number = (uint32_t)((size_t)(user - places) / PLACE);
    struct place *place = &all[number];
    if (!undress_header(user, &place->block) || !is_slack_whole(&place->block))
        finding(BROKEN_FENCE, user, site, &place->block, MARK_MALLOC,
                "a fence of the block is broken, less than 16 bytes from it");
    place->block.other = site;
    __atomic_store_n(mark_at(user), MARK_FREED, __ATOMIC_RELEASE);
    char *first = (char *)((uintptr_t)(user - HEADER) & ~(PAGE - 1));
    size_t length = (size_t)(data_of(number) + DATA - first);
    kernel(SYS_madvise, first, length, MADV_DONTNEED);
    kernel(SYS_mprotect, first, length, PROT_NONE);
    __atomic_store_n(&place->state, 0, __ATOMIC_RELEASE);
}

bool paged_block(uintptr_t address, struct block *block, bool *live) {
    uintptr_t start = (uintptr_t)places - PAGE;
    if (!places || address < start || address >= start + PAGE + PLACES * PLACE)
        return false;
    uint32_t number =
        address < (uintptr_t)places ? 0 : (uint32_t)((address - (uintptr_t)places) / PLACE);
    *block = all[number].block;
    *live = __atomic_load_n(&all[number].state, __ATOMIC_ACQUIRE) == 1;
    return block->user;
}

void paged_range(uintptr_t *start, uintptr_t *end) {
    *start = places ? (uintptr_t)places - PAGE : 0;
    *end = places ? (uintptr_t)(places + PLACES * PLACE) : 0;
}
