/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "marks.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#define CHUNK_SHIFT 16 /* walks skip 64 KiB of heap without marks at a time */
#define CHUNK_MARKS ((size_t)1 << (CHUNK_SHIFT - 4))
#define CHUNKS (REGION_MARKS / CHUNK_MARKS)

uint8_t *regions[REGIONS];

/* Behind the marks of a region: a byte per chunk that says whether it ever had one, and eight bytes
 * that a load at the very end may read. */
#define REGION_BYTES (REGION_MARKS + CHUNKS + 8)

static bool map_region(size_t number) {
    uint8_t *made = mmap(NULL, REGION_BYTES, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED)
        return false;
    uint8_t *expected = NULL;
    if (!__atomic_compare_exchange_n(&regions[number], &expected, made, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
        munmap(made, REGION_BYTES); /* another thread was quicker */
    return true;
}

bool marks_map(uintptr_t from, uintptr_t to) {
    for (size_t number = from >> REGION_SHIFT; number <= (to - 1) >> REGION_SHIFT; number++)
        if (number >= REGIONS || (!regions[number] && !map_region(number)))
            return false;
    return true;
}

static uintptr_t clear_bytes(uint8_t *marks, size_t count, uintptr_t address) {
    uintptr_t live = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_live(marks[i]) && !live)
            live = address + i * GRANULE;
        else
            marks[i] = MARK_NONE;
    }
    return live;
}

uintptr_t marks_clear(uintptr_t from, uintptr_t to) {
    uintptr_t live = 0;
    while (from < to && !live) {
        uintptr_t end = ((from >> REGION_SHIFT) + 1) << REGION_SHIFT;
        end = end < to ? end : to;
        uint8_t *marks = mark_of((void *)from);
        size_t count = (end - from + GRANULE - 1) / GRANULE;
        /* Mostly there is nothing: eight at a time. */
        size_t i = 0;
        for (; i + 8 <= count; i += 8) {
            uint64_t eight;
            memcpy(&eight, marks + i, 8);
            if (unlikely(eight) && !live)
                live = clear_bytes(marks + i, 8, from + i * GRANULE);
        }
        if (i < count && !live)
            live = clear_bytes(marks + i, count - i, from + i * GRANULE);
        from = end;
    }
    return live;
}

void marks_touch(uintptr_t address) {
    uint8_t *region = regions[address >> REGION_SHIFT];
    uint8_t *chunk = region + REGION_MARKS + ((address >> CHUNK_SHIFT) & (CHUNKS - 1));
    if (unlikely(!*chunk))
        *chunk = 1;
}

uintptr_t marks_before(uintptr_t address, size_t window) {
    uintptr_t at = address & ~(uintptr_t)(GRANULE - 1);
    uintptr_t least = at > window ? at - window : 0;
    for (; at > least; at -= GRANULE) {
        uint8_t *mark = mark_of((void *)at);
        if (!mark)
            return 0;
        if (*mark != MARK_NONE)
            return at;
    }
    return 0;
}

static void walk_chunk(uintptr_t address, const uint8_t *marks, mark_visitor *visit, void *data) {
    for (size_t i = 0; i < CHUNK_MARKS; i += 8) {
        uint64_t eight;
        memcpy(&eight, marks + i, 8);
        if (!eight)
            continue;
        for (size_t j = i; j < i + 8; j++)
            if (marks[j] != MARK_NONE)
                visit(address + j * GRANULE, marks[j], data);
    }
}

void marks_walk(mark_visitor *visit, void *data) {
    for (size_t number = 0; number < REGIONS; number++) {
        uint8_t *region = regions[number];
        if (!region)
            continue;
        for (size_t chunk = 0; chunk < CHUNKS; chunk++)
            if (region[REGION_MARKS + chunk])
                walk_chunk((number << REGION_SHIFT) + (chunk << CHUNK_SHIFT),
                           region + chunk * CHUNK_MARKS, visit, data);
    }
}
