/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "reach.h"
#include "alias.h"
#include "kernel.h"
#include "modules.h"
#include "pages.h"
#include "threads.h"

#define MOST_DECLARED 4096
#define MOST_ROOTS 16384
#define RED_ZONE 128 /* bytes below the stack pointer that a function may use */
#define AHEAD 16     /* blocks, and marks, that are fetched while others are read */
#define LARGE 4096   /* blocks from here on are copied: parts of them may not be readable */

static struct {
    struct range range;
    bool block; /* the address is itself a reference: HEAPSTORY_MINE */
} declared[MOST_DECLARED];
static uint32_t declared_count;

static uintptr_t *waiting; /* reached, not opened yet */
static size_t waiting_room, pending;
static struct root {
    uintptr_t start, end;
    bool stack;
} roots[MOST_ROOTS];
static size_t root_count;
static uintptr_t own_sp;

static void declare(uintptr_t start, size_t size, bool block) {
    uint32_t slot = __atomic_fetch_add(&declared_count, 1, __ATOMIC_RELAXED);
    if (slot < MOST_DECLARED) {
        declared[slot].range = (struct range){start, start + size};
        declared[slot].block = block;
    }
}

/* Called by the macros of heapstory.h, which refer to them weakly. */
EXPORT void heapstory_guard_root(const void *address, unsigned long size);
EXPORT void heapstory_guard_root(const void *address, unsigned long size) {
    declare((uintptr_t)address, size, false);
}
EXPORT void heapstory_guard_mine(const void *block);
EXPORT void heapstory_guard_mine(const void *block) {
    declare((uintptr_t)block, 0, true);
}

/* Of a word and where it stands (0: in a register or on a stack). */
typedef void word_visitor(uintptr_t word, uintptr_t slot);

static inline void await(uintptr_t start, uint8_t *mark) {
    if (pending < waiting_room) {
        *mark |= SCAN_OPENED;
        waiting[pending++] = start;
    }
}

static inline void refer(uintptr_t address, uintptr_t slot) {
    uintptr_t start;
    uint8_t *mark = heap_find(address, &start);
    if (!mark)
        return;
    if (unlikely(scan_kind(*mark) == MARK_QUARANTINE)) {
        if (slot && address == start)
            dangling_note(slot, start);
        return;
    }
    *mark |= SCAN_REACHED;
    if (!(*mark & SCAN_OPENED) && (!(address & 7) || (address & ~(uintptr_t)7) == start))
        await(start, mark);
}

/* Words whose marks are on their way from memory. */
static struct { uintptr_t word, slot; } fetching[AHEAD];
static unsigned fetched;

static inline void consider(uintptr_t word, uintptr_t slot, word_visitor *visit) {
    uint8_t *mark = heap_mark(word);
    if (!mark)
        return;
    heap_fetch(mark, word);
    uintptr_t before = fetching[fetched].word, at = fetching[fetched].slot;
    fetching[fetched].word = word;
    fetching[fetched].slot = slot;
    fetched = (fetched + 1) % AHEAD;
    if (before)
        visit(before, at);
}

static inline void consider_rest(word_visitor *visit) {
    for (unsigned i = 0; i < AHEAD; i++) {
        uintptr_t word = fetching[i].word;
        fetching[i].word = 0;
        if (word)
            visit(word, fetching[i].slot);
    }
}

/* Words of memory that may not be readable, so it is copied first; what cannot be read is left out,
 * page by page. */
static inline void visit_copied(uintptr_t start, uintptr_t end, bool stack, word_visitor *visit) {
    static uint64_t words[8192];
    for (start = (start + 7) & ~(uintptr_t)7; start + 8 <= end;) {
        size_t size = end - start < sizeof words ? (end - start) & ~(size_t)7 : sizeof words;
        bool read = kernel_read_memory(words, (void *)start, size);
        if (!read) {
            size_t page = 4096 - (start & 4095);
            size = size < page ? size : page;
            read = kernel_read_memory(words, (void *)start, size);
        }
        for (size_t i = 0; read && i < size / 8; i++)
            consider(words[i], stack ? 0 : start + i * 8, visit);
        start += size;
    }
}

static inline void visit_words(uintptr_t start, uintptr_t end, bool stack, word_visitor *visit) {
    for (uintptr_t at = (start + 7) & ~(uintptr_t)7; at + 8 <= end; at += 8)
        consider(load64((void *)at), stack ? 0 : at, visit);
}

static inline void visit_memory(uintptr_t start, uintptr_t end, bool stack, word_visitor *visit) {
    if (!pages_readable(start, end)) {
        visit_copied(start, end, stack, visit);
        return;
    }
    for (uintptr_t from, to; pages_next(start, end, &from, &to); start = to)
        visit_words(from, to, stack, visit);
}

static inline void visit_block(uintptr_t start, word_visitor *visit) {
    size_t size = size_of(header_of((void *)start)->what);
    if (size >= LARGE)
        visit_memory(start, start + size, false, visit);
    else
        visit_words(start, start + size, false, visit);
}

/* Opens what waits. A few blocks are asked for before they are read. */
static inline void follow_by(word_visitor *visit) {
    uintptr_t ahead[AHEAD];
    size_t first = 0, count = 0;
    for (consider_rest(visit); pending || count;) {
        while (pending && count < AHEAD) {
            uintptr_t next = waiting[--pending];
            __builtin_prefetch((char *)next - HEADER);
            __builtin_prefetch((char *)next + 48);
            ahead[(first + count++) % AHEAD] = next;
        }
        count--;
        visit_block(ahead[first++ % AHEAD], visit);
        if (!pending && !count)
            consider_rest(visit);
    }
}

static void scan_words(uintptr_t start, uintptr_t end) {
    visit_memory(start, end, false, refer);
    follow_by(refer);
}

static void scan_stack(uintptr_t start, uintptr_t end) {
    visit_memory(start, end, true, refer);
    follow_by(refer);
}

static bool has_sp(const struct mapping *mapping, uintptr_t sp) {
    return sp >= mapping->start && sp < mapping->end;
}

static void collect_root(const struct mapping *mapping, void *data) {
    if (!mapping->readable || !mapping->writable)
        return;
    if (root_count == MOST_ROOTS) {
        *(bool *)data = false;
        return;
    }
    if (!mapping->shared)
        pages_may_read(mapping->start, mapping->end);
    /* A stack begins at the lowest stack pointer in it, unless there is one that is not known. */
    uintptr_t low = has_sp(mapping, own_sp) ? own_sp : UINTPTR_MAX;
    bool unknown = false;
    for (uint32_t i = 0; i < standing_count; i++) {
        unknown |= !standing[i].sp;
        if (has_sp(mapping, standing[i].sp) && standing[i].sp < low)
            low = standing[i].sp;
    }
    bool stack = low != UINTPTR_MAX;
    bool whole = !stack || unknown || low - mapping->start < RED_ZONE;
    roots[root_count++] =
        (struct root){whole ? mapping->start : low - RED_ZONE, mapping->end, stack || unknown};
}

static void scan_roots(void) {
    for (size_t i = 0; i < root_count; i++)
        heap_outside(roots[i].start, roots[i].end, roots[i].stack ? scan_stack : scan_words);
    uint32_t known = declared_count < MOST_DECLARED ? declared_count : MOST_DECLARED;
    for (uint32_t i = 0; i < known; i++) {
        if (declared[i].block)
            refer(declared[i].range.start, 0);
        else
            scan_words(declared[i].range.start, declared[i].range.end);
    }
    for (uint32_t i = 0; i < standing_count; i++)
        for (unsigned j = 0; j < MOST_WORDS; j++)
            refer(standing[i].words[j], 0);
    follow_by(refer);
}

/* Of the lost blocks, those that only other lost ones refer to. */
static uintptr_t lost; /* from which they are looked for */

static void refer_lost(uintptr_t address, uintptr_t slot) {
    (void)slot;
    uintptr_t start;
    uint8_t *mark = heap_find(address, &start);
    if (!mark || !is_live((uint8_t)scan_kind(*mark)) || *mark & SCAN_REACHED || start == lost)
        return;
    *mark |= SCAN_INDIRECT;
    if (!(*mark & SCAN_OPENED))
        await(start, mark);
}

static void find_indirect(uintptr_t address, uint8_t mark, void *data) {
    (void)data;
    if (!is_live((uint8_t)scan_kind(mark)) || mark & (SCAN_REACHED | SCAN_INDIRECT))
        return;
    lost = address;
    await(address, mark_of((void *)address));
    follow_by(refer_lost);
}

bool reach(uintptr_t sp, const uintptr_t *registers, unsigned count) {
    waiting_room = heap_live();
    waiting = kernel_map(waiting_room * sizeof *waiting + 1);
    if (!waiting)
        return false;
    own_sp = sp;
    root_count = 0;
    pages_begin();
    bool all = true;
    all = mappings_visit(collect_root, &all) && all;
    if (all) {
        for (unsigned i = 0; i < count; i++)
            refer(registers[i], 0);
        scan_roots();
        marks_walk(find_indirect, NULL);
    }
    pages_end();
    kernel_unmap(waiting, waiting_room * sizeof *waiting + 1);
    return all;
}
