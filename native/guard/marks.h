/* One byte for every 16 bytes of heap: what begins there (enum mark).
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The bytes of 256 MiB lie together in a region, mapped when the first block appears there. That is
 * 6 % of the heap, and no cache line of the heap itself is needed to tell a bad from a double free.
 */
#ifndef HEAPSTORY_GUARD_MARKS_H
#define HEAPSTORY_GUARD_MARKS_H

#include "state.h"

#define REGION_SHIFT 28
#define REGION_MARKS ((size_t)1 << (REGION_SHIFT - 4))
#define REGIONS ((size_t)1 << (47 - REGION_SHIFT))

extern uint8_t *regions[REGIONS];

/* The first mapped region whose number is at least this; REGIONS if there is none. */
size_t region_from(size_t number);

/* Walks skip 64 KiB of heap without marks at a time: behind the marks of a region there is a byte
 * per chunk that says whether it ever had one; then, for scans, the last mark up to every line, and
 * a byte per chunk that says whether there is a block in it, or a part of one. */
#define CHUNK_SHIFT 16
#define CHUNK_MARKS ((size_t)1 << (CHUNK_SHIFT - 4))
#define CHUNKS (REGION_MARKS / CHUNK_MARKS)
#define LINE_MARKS ((size_t)64) /* a line of the cache */
#define LINES (REGION_MARKS / LINE_MARKS)
#define REGION_BYTES (REGION_MARKS + CHUNKS + LINES * sizeof(uint32_t) + CHUNKS)

/* The mark of an address, NULL where no block ever was. */
static inline uint8_t *mark_of(const void *address) {
    uintptr_t at = (uintptr_t)address;
    if (unlikely(at >> 47))
        return NULL;
    uint8_t *region = regions[at >> REGION_SHIFT];
    return region ? region + ((at >> 4) & (REGION_MARKS - 1)) : NULL;
}

/* The same of what is known to be a block. */
static inline uint8_t *mark_at(const void *user) {
    uintptr_t at = (uintptr_t)user;
    return regions[at >> REGION_SHIFT] + ((at >> 4) & (REGION_MARKS - 1));
}

static inline bool is_live(uint8_t mark) {
    return (uint8_t)(mark - 1) < MARK_LAST_LIVE;
}

/* Maps the regions of a range; false if there is no memory for them. */
bool marks_map(uintptr_t from, uintptr_t to);

/* Takes the marks out of a range that libc has just given out. The first live block that is still
 * there, or 0: then libc's heap is corrupt. */
uintptr_t marks_clear(uintptr_t from, uintptr_t to);

/* Whether there are marks around here, for walks. */
static inline uint8_t *marks_chunk(uint8_t *region, uintptr_t address) {
    return region + REGION_MARKS + (address >> CHUNK_SHIFT & (CHUNKS - 1));
}
void marks_touch(uintptr_t address);

/* The nearest block that begins at or before an address, at most `window` bytes before; 0: none. */
uintptr_t marks_before(uintptr_t address, size_t window);

/* Calls for every mark in order of address. */
typedef void mark_visitor(uintptr_t address, uint8_t mark, void *data);
void marks_walk(mark_visitor *visit, void *data);

#endif
