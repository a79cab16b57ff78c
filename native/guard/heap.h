/* The heap as a scan sees it: which block holds an address, and which memory is libc's or ours.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * All of this is for a process in which nothing else runs: a copy that was made for the scan, or a
 * program of one thread at its end. Meanwhile marks carry flags. */
#ifndef HEAPSTORY_GUARD_HEAP_H
#define HEAPSTORY_GUARD_HEAP_H

#include "blocks.h"

/* Flags of a mark while a scan is under way. */
enum {
    SCAN_INDIRECT = 0x20, /* lost, but another lost block refers to it */
    SCAN_REACHED = 0x40,  /* something refers to it */
    SCAN_OPENED = 0x80,   /* and its words were followed */
    SCAN_FLAGS = 0xf0,
};

struct range {
    uintptr_t start, end;
};

/* False if there is no memory for it. */
bool heap_begin(void);
void heap_end(void);
/* More memory of ours. */
void heap_hide(uintptr_t start, uintptr_t end);

/* How many blocks are live. */
size_t heap_live(void);

static inline uint32_t *lasts_of(uint8_t *region) {
    return (uint32_t *)(region + REGION_MARKS + CHUNKS);
}
static inline uint8_t *occupied_of(uint8_t *region) {
    return (uint8_t *)(lasts_of(region) + LINES);
}

/* The mark of an address that may be in a block; NULL if it is in none. */
extern struct range heap_bounds;
static inline uint8_t *heap_mark(uintptr_t address) {
    if (address - heap_bounds.start > heap_bounds.end - heap_bounds.start)
        return NULL;
    uint8_t *region = regions[address >> REGION_SHIFT];
    return region && occupied_of(region)[address >> CHUNK_SHIFT & (CHUNKS - 1)]
               ? region + ((address >> 4) & (REGION_MARKS - 1))
               : NULL;
}

/* Asks for what a look-up of an address needs. */
static inline void heap_fetch(uint8_t *mark, uintptr_t address) {
    __builtin_prefetch(mark, 1);
    __builtin_prefetch(lasts_of(regions[address >> REGION_SHIFT]) +
                       ((address >> 4) & (REGION_MARKS - 1)) / LINE_MARKS);
}

/* The mark of the live or quarantined block that holds an address, and its start; NULL if none
 * does. (In the slack behind a block that was opened, it counts as within.) */
uint8_t *heap_find(uintptr_t address, uintptr_t *start);

/* Calls for what is left of a range without libc's heap and our own memory. */
typedef void range_visitor(uintptr_t start, uintptr_t end);
void heap_outside(uintptr_t start, uintptr_t end, range_visitor *visit);

static inline enum mark scan_kind(uint8_t mark) {
    return (enum mark)(mark & ~SCAN_FLAGS);
}

#endif
