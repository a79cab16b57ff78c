/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "marks.h"
#include "kernel.h"

#include <string.h>

uint8_t *regions[REGIONS];

/* The numbers of those that are mapped: `regions` is too large to be looked through. */
#define MOST_MAPPED 4096
static uint32_t mapped[MOST_MAPPED];
static uint32_t mapped_count;

static bool map_region(size_t number) {
    uint8_t *made = kernel_map(REGION_BYTES);
    if (!made)
        return false;
    uint8_t *expected = NULL;
    if (!__atomic_compare_exchange_n(&regions[number], &expected, made, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        kernel_unmap(made, REGION_BYTES); /* another thread was quicker */
        return true;
    }
    uint32_t slot = __atomic_fetch_add(&mapped_count, 1, __ATOMIC_ACQ_REL);
    if (slot < MOST_MAPPED)
        __atomic_store_n(&mapped[slot], (uint32_t)number, __ATOMIC_RELEASE);
    return true;
}

size_t region_from(size_t number) {
    uint32_t count = __atomic_load_n(&mapped_count, __ATOMIC_ACQUIRE);
    size_t least = REGIONS;
    if (count > MOST_MAPPED) { /* a terabyte of heap */
        while (number < REGIONS && !regions[number])
            number++;
        return number;
    }
    for (uint32_t i = 0; i < count; i++)
        if (mapped[i] >= number && mapped[i] < least)
            least = mapped[i];
    return least;
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
    uint8_t *chunk = marks_chunk(regions[address >> REGION_SHIFT], address);
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
    for (size_t number = 0; (number = region_from(number)) < REGIONS; number++) {
        uint8_t *region = regions[number];
        for (size_t chunk = 0; chunk < CHUNKS; chunk++)
            if (region[REGION_MARKS + chunk])
                walk_chunk((number << REGION_SHIFT) + (chunk << CHUNK_SHIFT),
                           region + chunk * CHUNK_MARKS, visit, data);
    }
}
