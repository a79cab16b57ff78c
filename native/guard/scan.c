/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Roots are the stack and all writable memory that is not libc's heap: data of
 * modules, thread-local data, memory that the program mapped itself, and what it declared. From
 * there every aligned word is followed that is an address within a live block. An address that is
 * not a multiple of eight marks its block but does not open it: nothing that holds pointers lies
 * there.
 */
#define _GNU_SOURCE
#include "scan.h"
#include "findings.h"
#include "modules.h"

#include <sys/mman.h>

#define MOST_ROOTS 4096
#define ARENA ((uintptr_t)64 << 20) /* glibc's arenas beside the first are aligned to this */
#define CHUNK_MMAPPED 2
#define CHUNK_ARENA 4

struct entry {
    uintptr_t start;
    size_t size;
    uint32_t site;
    bool reached;  /* from a root */
    bool opened;   /* its words were followed */
    bool indirect; /* lost, but another lost block refers to it */
};

struct range {
    uintptr_t start, end;
};

static struct entry *entries;
static uint32_t *waiting; /* reached, not opened yet */
static size_t count, room, pending;
static struct range *heaps; /* libc's heap, which is no root, in order of address */
static size_t heap_count;
static struct {
    struct range range;
    bool block; /* the address is itself a reference: HEAPSTORY_MINE */
} declared[MOST_ROOTS];
static uint32_t declared_count;

static void declare(uintptr_t start, size_t size, bool block) {
    uint32_t slot = __atomic_fetch_add(&declared_count, 1, __ATOMIC_RELAXED);
    if (slot < MOST_ROOTS) {
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

static void count_one(uintptr_t address, uint8_t mark, void *data) {
    (void)address, (void)data;
    room += is_live(mark);
}

static void add_heap(const struct block *block) {
    uintptr_t base = (uintptr_t)base_of(block);
    uint64_t chunk = load64((void *)(base - 8)); /* glibc's size of the piece, with its flags */
    struct range heap = {base - 16, base - 16 + (chunk & ~(uint64_t)7)};
    if (chunk & CHUNK_ARENA && !(chunk & CHUNK_MMAPPED))
        heap = (struct range){base & ~(ARENA - 1), (base & ~(ARENA - 1)) + ARENA};
    if (heap_count && heaps[heap_count - 1].end >= heap.start) {
        if (heap.end > heaps[heap_count - 1].end)
            heaps[heap_count - 1].end = heap.end;
    } else {
        heaps[heap_count++] = heap;
    }
}

static void add_one(uintptr_t address, uint8_t mark, void *data) {
    (void)data;
    struct block block;
    if (!is_live(mark) || count == room || !undress((char *)address, &block))
        return;
    entries[count++] = (struct entry){.start = address, .size = block.size, .site = block.site};
    add_heap(&block);
}

/* Most references are to the start of a block. While a scan runs, its header holds the number of
 * its entry in place of the fence, which was checked before and is put back afterwards. */
static void number_headers(void) {
    for (size_t i = 0; i < count; i++)
        header_of((void *)entries[i].start)->fence = i;
}

static void restore_headers(void) {
    for (size_t i = 0; i < count; i++) {
        char *user = (char *)entries[i].start;
        dress(user, entries[i].size, (uint32_t)(header_of(user)->size_align >> 48),
              entries[i].site);
    }
}

static struct entry *entry_of(uintptr_t address) {
    const uint8_t *mark = address & (GRANULE - 1) ? NULL : mark_of((void *)address);
    if (mark && is_live(*mark)) {
        uint64_t number = header_of((void *)address)->fence;
        if (number < count && entries[number].start == address)
            return &entries[number];
    }
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (entries[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    struct entry *found = low ? &entries[low - 1] : NULL;
    return found && address - found->start < found->size + !found->size ? found : NULL;
}

static void refer(uintptr_t address) {
    if (address < entries[0].start || address > entries[count - 1].start + entries[count - 1].size)
        return;
    struct entry *entry = entry_of(address);
    if (!entry)
        return;
    entry->reached = true;
    if (!entry->opened && !(address & 7)) {
        entry->opened = true;
        waiting[pending++] = (uint32_t)(entry - entries);
    }
}

static void follow(void) {
    while (pending) {
        const struct entry *entry = &entries[waiting[--pending]];
        for (uintptr_t at = entry->start; at + 8 <= entry->start + entry->size; at += 8)
            refer(load64((void *)at));
    }
}

/* Words of memory that may not be readable, so it is copied first. */
static void scan_words(uintptr_t start, uintptr_t end) {
    static uint64_t words[8192];
    for (start = (start + 7) & ~(uintptr_t)7; start + 8 <= end; start += sizeof words) {
        size_t size = end - start < sizeof words ? (end - start) & ~(size_t)7 : sizeof words;
        if (!safe_read(words, (void *)start, size))
            continue;
        for (size_t i = 0; i < size / 8; i++)
            refer(words[i]);
        follow();
    }
}

/* What is left of a range without libc's heap and our own tables. */
static void scan_root(uintptr_t start, uintptr_t end) {
    const struct range own[] = {
        {(uintptr_t)sites, (uintptr_t)sites + sizeof sites},
        {(uintptr_t)regions, (uintptr_t)(regions + REGIONS)},
        {(uintptr_t)entries, (uintptr_t)(entries + room)},
        {(uintptr_t)waiting, (uintptr_t)(waiting + room)},
        {(uintptr_t)heaps, (uintptr_t)(heaps + room)},
        {(uintptr_t)declared, (uintptr_t)declared + sizeof declared},
    };
    for (unsigned i = 0; i < sizeof own / sizeof *own; i++)
        if (own[i].start < end && own[i].end > start) {
            if (own[i].start > start)
                scan_root(start, own[i].start);
            if (own[i].end < end)
                scan_root(own[i].end, end);
            return;
        }
    for (size_t i = 0; i < heap_count && start < end; i++) {
        if (heaps[i].end <= start || heaps[i].start >= end)
            continue;
        if (heaps[i].start > start)
            scan_words(start, heaps[i].start);
        start = heaps[i].end;
    }
    if (start < end)
        scan_words(start, end);
}

static bool is_marks(uintptr_t start, uintptr_t end) {
    for (size_t number = 0; number < REGIONS; number++)
        if (regions[number] && (uintptr_t)regions[number] >= start &&
            (uintptr_t)regions[number] < end)
            return true;
    return false;
}

struct ranges {
    struct range all[8192];
    size_t count;
    uintptr_t stack;
};

static void collect_root(const struct mapping *mapping, void *data) {
    struct ranges *roots = data;
    if (!mapping->readable || !mapping->writable || !strcmp(mapping->path, "[heap]") ||
        roots->count == 8192)
        return;
    if (!mapping->path[0] && is_marks(mapping->start, mapping->end))
        return;
    bool ours = roots->stack > mapping->start && roots->stack < mapping->end;
    uintptr_t start = ours ? roots->stack : mapping->start;
    roots->all[roots->count++] = (struct range){start, mapping->end};
}

static void scan_roots(const void *stack) {
    static struct ranges roots;
    roots.stack = (uintptr_t)stack;
    roots.count = 0;
    mappings_visit(collect_root, &roots);
    for (size_t i = 0; i < roots.count; i++)
        scan_root(roots.all[i].start, roots.all[i].end);
    uint32_t known = declared_count < MOST_ROOTS ? declared_count : MOST_ROOTS;
    for (uint32_t i = 0; i < known; i++) {
        if (declared[i].block)
            refer(declared[i].range.start);
        else
            scan_words(declared[i].range.start, declared[i].range.end);
    }
    follow();
}

/* Of the lost blocks, those that only other lost ones refer to. */
static void find_indirect(void) {
    for (size_t i = 0; i < count; i++)
        entries[i].opened = entries[i].reached;
    for (size_t i = 0; i < count; i++) {
        if (entries[i].reached || entries[i].indirect)
            continue;
        entries[i].opened = true;
        waiting[pending++] = (uint32_t)i;
        while (pending) {
            const struct entry *from = &entries[waiting[--pending]];
            for (uintptr_t at = from->start; at + 8 <= from->start + from->size; at += 8) {
                uintptr_t value = load64((void *)at);
                struct entry *to = count ? entry_of(value) : NULL;
                if (!to || to->reached || to == &entries[i])
                    continue;
                to->indirect = true;
                if (!to->opened) {
                    to->opened = true;
                    waiting[pending++] = (uint32_t)(to - entries);
                }
            }
        }
    }
}

static void report_site(uint32_t site, const struct entry *first) {
    struct lines text;
    text.used = 0;
    put_number(&text, sites[site].bytes);
    put_text(&text, " bytes in");
    put_number(&text, sites[site].blocks);
    put_text(&text, sites[site].blocks == 1 ? " block" : " blocks");
    put_text(&text, " that nothing refers to");
    text.text[text.used] = 0;
    struct block block = {(char *)first->start, first->size, 0, site, 0};
    finding(LEAK, block.user, 0, &block, MARK_MALLOC, text.text + 1);
}

static void report(void) {
    for (uint32_t site = 0; site < SITES; site++)
        sites[site].blocks = sites[site].bytes = 0;
    for (size_t i = 0; i < count; i++)
        if (!entries[i].reached && !entries[i].indirect) {
            sites[entries[i].site].blocks++;
            sites[entries[i].site].bytes += entries[i].size;
        }
    for (size_t i = 0; i < count; i++)
        if (!entries[i].reached && !entries[i].indirect && sites[entries[i].site].blocks) {
            report_site(entries[i].site, &entries[i]);
            sites[entries[i].site].blocks = 0;
        }
}

static void *map(size_t size) {
    void *made = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return made == MAP_FAILED ? NULL : made;
}

bool scan_leaks(const void *stack) {
    if (threads_running() != 1)
        return false;
    room = count = pending = heap_count = 0;
    marks_walk(count_one, NULL);
    if (!room)
        return true;
    entries = map(room * sizeof *entries);
    waiting = map(room * sizeof *waiting);
    heaps = map(room * sizeof *heaps);
    if (!entries || !waiting || !heaps)
        return false;
    marks_walk(add_one, NULL);
    if (count) {
        number_headers();
        scan_roots(stack);
        find_indirect();
        restore_headers();
        report();
    }
    munmap(entries, room * sizeof *entries);
    munmap(waiting, room * sizeof *waiting);
    munmap(heaps, room * sizeof *heaps);
    return true;
}
