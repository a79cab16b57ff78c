/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The live blocks of the allocation family, found by address without searching: per page of the
 * heap one word for every 16 bytes, which holds the size, class and allocator of the block that
 * starts there. Neighbouring blocks share cache lines here as well. It is needed for free and
 * realloc of pointers that are nobody's, and for the snapshot at --from and at a followed fork;
 * only then are births counted.
 */
#include "functions/functions.h"
#include "shared/listeners.h"
#include "shared/options.h"
#include "shared/pages.h"
#include "shared/peek.h"
#include "shared/ranges.h"
#include "shared/ring.h"
#include "shared/states.h"

#include "pub_tool_aspacehl.h"

#define GRAIN_BITS 4
#define CELLS (1u << (HS_PAGE_BITS - GRAIN_BITS))
#define GROUP_BITS 13
#define GROUP (1u << GROUP_BITS)

struct page {
    ULong cell[CELLS];
    ULong birth[]; /* CELLS of them, if births are counted */
};

static struct page **groups[HS_PAGES >> GROUP_BITS];
static ULong births;
static Bool counting;

static struct page *page_of(Addr address) {
    Addr number = address >> HS_PAGE_BITS;
    struct page **group = number < HS_PAGES ? groups[number >> GROUP_BITS] : NULL;
    return group ? group[number & (GROUP - 1)] : NULL;
}

static struct page *make_page(Addr address) {
    Addr number = address >> HS_PAGE_BITS;
    struct page ***group = &groups[number >> GROUP_BITS], **place;
    tl_assert(number < HS_PAGES);
    if (!*group)
        *group = VG_(calloc)("hs.live.group", GROUP, sizeof **group);
    place = &(*group)[number & (GROUP - 1)];
    if (!*place)
        *place = VG_(calloc)("hs.live.page", 1, (counting ? 2 : 1) * sizeof(struct page));
    return *place;
}

static UInt cell_of(Addr address) {
    return (address >> GRAIN_BITS) & (CELLS - 1);
}

void hs_live_add(Addr address, ULong block) {
    struct page *page = page_of(address);
    if (!page)
        page = make_page(address);
    page->cell[cell_of(address)] = block;
    if (counting)
        page->birth[cell_of(address)] = births++;
}

/* Of any block. */
static ULong *cell_at(Addr address) {
    struct page *page = page_of(address);
    ULong *cell;
    if (!page || (address & ((1u << GRAIN_BITS) - 1)))
        return NULL;
    cell = &page->cell[cell_of(address)];
    return *cell ? cell : NULL;
}

ULong *hs_live_find(Addr address) {
    ULong *cell = cell_at(address);
    return cell && !(*cell & HS_FREED) ? cell : NULL;
}

ULong *hs_freed_find(Addr address) {
    ULong *cell = cell_at(address);
    return cell && (*cell & HS_FREED) ? cell : NULL;
}

Addr hs_block_below(Addr address, SizeT within) {
    Addr at = address & ~((1ul << GRAIN_BITS) - 1), lowest = at > within ? at - within : 1;
    for (; at >= lowest && at <= address; at -= 1u << GRAIN_BITS) { /* never below 0 */
        if (!page_of(at))
            at &= ~((1ul << HS_PAGE_BITS) - 1); /* none in this page */
        else if (cell_at(at))
            return at;
    }
    return 0;
}

Addr hs_block_above(Addr address, SizeT within) {
    Addr at = (address | ((1ul << GRAIN_BITS) - 1)) + 1, end = at + within;
    for (; at < end; at += 1u << GRAIN_BITS)
        if (cell_at(at))
            return at;
    return 0;
}

void hs_live_remove(ULong *block) {
    *block = 0;
}

ULong hs_live_birth(void) {
    return births++;
}

static Int by_birth(const void *a, const void *b) {
    ULong left = ((const struct hs_block *)a)->birth, right = ((const struct hs_block *)b)->birth;
    return left < right ? -1 : left > right;
}

static void collect(XArray *all, Addr start, const struct page *page) {
    for (UInt i = 0; i < CELLS; i++)
        if (page->cell[i] && !(page->cell[i] & HS_FREED)) {
            struct hs_block block = {start + ((Addr)i << GRAIN_BITS), hs_live_size(page->cell[i]),
                                     page->birth[i], hs_live_allocator(page->cell[i])};
            VG_(addToXA)(all, &block);
        }
}

/* In order of birth; to be deleted. */
static XArray *sorted(void) {
    XArray *all = VG_(newXA)(VG_(malloc), "hs.sorted", VG_(free), sizeof(struct hs_block));
    tl_assert(counting);
    for (Addr g = 0; g < HS_PAGES >> GROUP_BITS; g++)
        for (Addr i = 0; groups[g] && i < GROUP; i++)
            if (groups[g][i])
                collect(all, (g << GROUP_BITS | i) << HS_PAGE_BITS, groups[g][i]);
    hs_custom_blocks(all);
    VG_(setCmpFnXA)(all, by_birth);
    VG_(sortXA)(all);
    return all;
}

static void send_live_blocks(void) {
    XArray *blocks = sorted();
    for (Word i = 0; i < VG_(sizeXA)(blocks); i++) {
        const struct hs_block *block = VG_(indexXA)(blocks, i);
        hs_record(HSW_ALLOC, block->address, block->size | (ULong)block->allocator << 56);
        if (hs_readable_end(block->address, block->address + block->size) ==
            block->address + block->size)
            hs_send_range(block->address, block->size, HSW_RANGE_INITIAL, 0);
    }
    VG_(deleteXA)(blocks);
}

/* Asked for all of the heap at once: a question for each block would take longer than the rest. */
static Bool heap_is_readable(void) {
    Int n_segments;
    Addr *starts = VG_(get_segment_starts)(SkAnonC, &n_segments);
    Bool is = True;
    for (Int i = 0; i < n_segments && is; i++) {
        const NSegment *segment = VG_(am_find_nsegment)(starts[i]);
        if (segment->isCH)
            is = hs_readable_end(segment->start, segment->end + 1) == segment->end + 1;
    }
    VG_(free)(starts);
    return is;
}

static void visit_page(Addr start, const struct page *page,
                       void (*visit)(Addr block, SizeT size, Bool readable), Bool all) {
    for (UInt i = 0; i < CELLS; i++)
        if (page->cell[i] && !(page->cell[i] & HS_FREED)) {
            Addr block = start + ((Addr)i << GRAIN_BITS), end = block + hs_live_size(page->cell[i]);
            visit(block, end - block, all || hs_readable_end(block, end) == end);
        }
}

void hs_live_visit(void (*visit)(Addr block, SizeT size, Bool readable)) {
    Bool all = heap_is_readable();
    for (Addr g = 0; g < HS_PAGES >> GROUP_BITS; g++)
        for (Addr i = 0; groups[g] && i < GROUP; i++)
            if (groups[g][i])
                visit_page((g << GROUP_BITS | i) << HS_PAGE_BITS, groups[g][i], visit, all);
}

/* What an earlier scan has found there does not hold any more. */
static Bool sent_before;
static void send_nothing(Addr start, Addr end) {
    if (sent_before && start < end)
        hs_send_fill(start, end - start, 0, 0);
}

/* Without pointers that were never stored there: they are of an earlier use of the memory. */
static void send_part(Addr start, SizeT size) {
    Addr from = start, end = start + size, at = start;
    while (hs_states && (at = hs_find_state(at, end - at, ~HS_ANY_OF(HS_DEFINED))) < end) {
        at &= ~(Addr)7;
        if (at + 8 <= end && hs_page_is_on(*(const ULong *)at)) {
            if (at > from)
                hs_send_range(from, at - from, HSW_RANGE_COPY, 0);
            from = at + 8;
            send_nothing(at, from);
        }
        at += 8;
        if (at >= end)
            break;
    }
    if (from < end)
        hs_send_range(from, end - from, HSW_RANGE_COPY, 0);
}

/* A program may take away its own access to pages of a block: these hold nothing for it. */
static void send_block(Addr block, SizeT size, Bool readable) {
    Addr end = block + size;
    for (Addr from = block, to; from < end; from = VG_PGROUNDDN(to) + VKI_PAGE_SIZE) {
        to = readable ? end : hs_readable_end(from, end);
        if (from < to)
            send_part(from, to - from);
        send_nothing(to, VG_PGROUNDDN(to) + VKI_PAGE_SIZE < end ? VG_PGROUNDDN(to) + VKI_PAGE_SIZE
                                                                : end);
    }
}

void hs_send_contents(void) {
    if (!hs_options.contents)
        return;
    hs_live_visit(send_block);
    hs_custom_visit(send_block);
    sent_before = True;
}

static const struct hs_listener listener = {.snapshot = send_live_blocks, .ends = hs_send_contents};

void hs_live_start(void) {
    counting = hs_options.from || hs_options.follow_children || hs_options.snapshot_at_exit;
    if (hs_mode == HSW_ALLOCATIONS)
        hs_listen(&listener);
}
