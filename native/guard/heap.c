/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "heap.h"
#include "kernel.h"
#include "modules.h"
#include "paged.h"
#include "program.h"

#include <emmintrin.h>

#define MOST_RANGES 65536
#define ARENA ((uintptr_t)64 << 20) /* glibc's arenas beside the first are aligned to this */
#define CHUNK_MMAPPED 2
#define CHUNK_ARENA 4

static struct range *not_roots; /* in order of address */
static size_t range_count, live_count;
static struct range main_heap; /* what brk gave */
struct range heap_bounds;

extern char __ehdr_start[] __attribute__((visibility("hidden"))); /* of this library */
extern char _end[] __attribute__((visibility("hidden")));

static void add_range(uintptr_t start, uintptr_t end) {
    struct range *last = range_count ? &not_roots[range_count - 1] : NULL;
    if (last && start >= last->start && start <= last->end)
        last->end = end > last->end ? end : last->end;
    else if (range_count < MOST_RANGES)
        not_roots[range_count++] = (struct range){start, end};
}

/* The piece of libc's heap that a block is in. */
static void add_piece(const struct block *block) {
    if (block->align == ALIGN_PAGED)
        return;
    uintptr_t base = (uintptr_t)base_of(block);
    if (base >= main_heap.start && base < main_heap.end)
        return;
    uint64_t piece = load64((void *)(base - 8)); /* glibc's size of it, with its flags */
    if (piece & CHUNK_ARENA && !(piece & CHUNK_MMAPPED))
        add_range(base & ~(ARENA - 1), (base & ~(ARENA - 1)) + ARENA);
    else
        add_range(base - 16, base - 16 + (piece & ~(uint64_t)7));
}

static void occupy(uintptr_t start, uintptr_t end) {
    for (uintptr_t chunk = start >> CHUNK_SHIFT; chunk <= end >> CHUNK_SHIFT; chunk++) {
        uint8_t *region = regions[chunk >> (REGION_SHIFT - CHUNK_SHIFT)];
        if (region)
            occupied_of(region)[chunk & (CHUNKS - 1)] = 1;
    }
}

static void note_block(uintptr_t address, uint8_t *mark) {
    struct block block;
    if (*mark == MARK_FREED)
        return;
    if (!undress_header((char *)address, &block)) {
        if (is_live(*mark)) /* how large it is cannot be told: it is left alone */
            *mark |= SCAN_REACHED | SCAN_OPENED;
        return;
    }
    if (address < heap_bounds.start)
        heap_bounds.start = address;
    if (address + block.size > heap_bounds.end)
        heap_bounds.end = address + block.size;
    occupy(address, address + block.size);
    live_count += is_live(*mark);
    add_piece(&block);
}

/* Notes for every line of a chunk the last mark up to its end, counted from 1; returns the last. */
static uint32_t index_chunk(size_t number, uint8_t *region, size_t chunk, uint32_t last) {
    uintptr_t start = number << REGION_SHIFT;
    for (size_t at = chunk * CHUNK_MARKS; at < (chunk + 1) * CHUNK_MARKS; at += 8) {
        if (load64(region + at))
            for (size_t i = at; i < at + 8; i++)
                if (region[i] != MARK_NONE) {
                    last = (uint32_t)i + 1;
                    note_block(start + i * GRANULE, &region[i]);
                }
        lasts_of(region)[at / LINE_MARKS] = last;
    }
    return last;
}

static void index_region(size_t number, uint8_t *region) {
    uint32_t last = 0;
    for (size_t chunk = 0; chunk < CHUNKS; chunk++)
        if (region[REGION_MARKS + chunk])
            last = index_chunk(number, region, chunk, last);
}

static void sort_ranges(void) {
    for (size_t gap = range_count / 2; gap; gap /= 2)
        for (size_t i = gap; i < range_count; i++) {
            struct range moved = not_roots[i];
            size_t at = i;
            for (; at >= gap && not_roots[at - gap].start > moved.start; at -= gap)
                not_roots[at] = not_roots[at - gap];
            not_roots[at] = moved;
        }
}

static void find_main_heap(const struct mapping *mapping, void *data) {
    (void)data;
    if (!strcmp(mapping->path, "[heap]"))
        main_heap = (struct range){mapping->start, mapping->end};
}

bool heap_begin(void) {
    not_roots = kernel_map(MOST_RANGES * sizeof *not_roots);
    if (!not_roots)
        return false;
    range_count = live_count = 0;
    heap_bounds = (struct range){UINTPTR_MAX, 0};
    for (size_t number = 0; (number = region_from(number)) < REGIONS; number++)
        memset(occupied_of(regions[number]), 0, CHUNKS);
    main_heap = (struct range){0, 0};
    mappings_visit(find_main_heap, NULL);
    for (size_t number = 0; (number = region_from(number)) < REGIONS; number++)
        index_region(number, regions[number]);
    if (heap_bounds.start > heap_bounds.end)
        heap_bounds = (struct range){0, 0}; /* there is no block */
    add_range(main_heap.start, main_heap.end);
    add_range((uintptr_t)__ehdr_start, (uintptr_t)_end);
    add_range((uintptr_t)not_roots, (uintptr_t)(not_roots + MOST_RANGES));
    for (size_t number = 0; (number = region_from(number)) < REGIONS; number++)
        add_range((uintptr_t)regions[number], (uintptr_t)regions[number] + REGION_BYTES);
    for (struct thread *each = all_threads; each; each = each->other)
        add_range((uintptr_t)each, (uintptr_t)each + THREAD_BYTES);
    struct range places;
    paged_range(&places.start, &places.end);
    add_range(places.start, places.end);
    program_numbers(add_range);
    sort_ranges();
    return true;
}

void heap_hide(uintptr_t start, uintptr_t end) {
    add_range(start, end);
    sort_ranges();
}

size_t heap_live(void) {
    return live_count;
}

static void unflag(uint8_t *region) {
    for (size_t chunk = 0; chunk < CHUNKS; chunk++)
        if (region[REGION_MARKS + chunk])
            for (size_t i = 0; i < CHUNK_MARKS; i++)
                region[chunk * CHUNK_MARKS + i] &= (uint8_t)~SCAN_FLAGS;
}

void heap_end(void) {
    kernel_unmap(not_roots, MOST_RANGES * sizeof *not_roots);
    for (size_t number = 0; (number = region_from(number)) < REGIONS; number++)
        unflag(regions[number]);
}

/* The last mark before a line, counted from 1; 0: there is none in the region. */
static uint32_t last_before(uint8_t *region, size_t line) {
    while (line--) {
        size_t chunk = line * LINE_MARKS / CHUNK_MARKS;
        if (region[REGION_MARKS + chunk])
            return lasts_of(region)[line];
        line = chunk * CHUNK_MARKS / LINE_MARKS; /* nothing ever began in that chunk */
    }
    return 0;
}

/* Which of the granules of a line have a mark, a bit for each. */
static inline uint64_t marks_of_line(const uint8_t *line) {
    uint64_t none = 0;
    for (int i = 3; i >= 0; i--) {
        __m128i some = _mm_cmpeq_epi8(((const __m128i *)line)[i], _mm_setzero_si128());
        none = none << 16 | (unsigned)_mm_movemask_epi8(some);
    }
    return ~none;
}

/* The last mark at or before an address, with its address. */
static uint8_t *mark_before(uint8_t *region, uintptr_t address, uintptr_t *start) {
    size_t number = address >> REGION_SHIFT, at = (address >> 4) & (REGION_MARKS - 1);
    size_t line = at / LINE_MARKS;
    uint64_t marks = marks_of_line(region + line * LINE_MARKS) & ~0ull >> (63 - at % LINE_MARKS);
    uint32_t last = marks ? (uint32_t)(line * LINE_MARKS + 64 - (size_t)__builtin_clzll(marks)) : 0;
    last = last ? last : last_before(region, line);
    while (!last && number && regions[number - 1]) /* a block that is larger than a region */
        last = last_before(region = regions[--number], LINES);
    *start = (number << REGION_SHIFT) + (last - 1) * (uintptr_t)GRANULE;
    return last ? &region[last - 1] : NULL;
}

uint8_t *heap_find(uintptr_t address, uintptr_t *start) {
    uint8_t *mark = heap_mark(address);
    if (!mark)
        return NULL;
    *start = address & ~(uintptr_t)(GRANULE - 1);
    if (unlikely(*mark == MARK_NONE))
        mark = mark_before(regions[address >> REGION_SHIFT], address, start);
    if (!mark || scan_kind(*mark) == MARK_FREED)
        return NULL;
    /* An address at the start, or in what was opened before, needs no look at the block itself. */
    if (address == *start || *mark & SCAN_OPENED)
        return mark;
    size_t size = size_of(header_of((void *)*start)->what);
    return address - *start < size ? mark : NULL;
}

void heap_outside(uintptr_t start, uintptr_t end, range_visitor *visit) {
    for (size_t i = 0; i < range_count && start < end; i++) {
        if (not_roots[i].end <= start || not_roots[i].start >= end)
            continue;
        if (not_roots[i].start > start)
            visit(start, not_roots[i].start);
        start = not_roots[i].end;
    }
    if (start < end)
        visit(start, end);
}
