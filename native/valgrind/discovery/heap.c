/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The heap as the kernel gives it out, and the maps over it.
 *
 * Heap is anonymous private writable memory: what brk, mmap, mremap and mprotect make so, except
 * thread stacks (mapped with MAP_STACK, or found under a new thread's stack pointer), the .bss of
 * modules, and all that was there when the program started. Memory above 128 GiB is never heap.
 *
 * The maps are reserved, not filled. Where a large range becomes heap, whole pieces of the maps are
 * private views of one small memory file that says "nobody's"; the kernel copies a page when
 * something is learnt there.
 */
#include "discovery/nodes.h"

#include "shared/modules.h"
#include "shared/ranges.h"
#include "shared/shadow.h"
#include "shared/syscalls.h"

extern Int VG_(safe_fd)(Int);

#define WORDS (1ul << (HS_HEAP_BITS - 3))
#define PIECE (1ul << 21) /* of a map, from the memory file */
#define MAX_STACKS 4096

UInt *hs_owner;
UChar *hs_reach;
UChar *hs_heads;

static Int patterns = -1; /* the memory file: a piece for each map */

static void *reserve(SizeT bytes) {
    UWord flags = VKI_MAP_PRIVATE | VKI_MAP_ANONYMOUS | VKI_MAP_NORESERVE;
    Word map = hs_syscall(__NR_mmap, 0, bytes, VKI_PROT_READ | VKI_PROT_WRITE, flags, -1, 0);
    if (map < 0 && map > -4096) {
        VG_(fmsg)("heapstory: no address space for the maps of the heap (ulimit -v?)\n");
        VG_(exit)(125);
    }
    return (void *)map;
}

static void make_patterns(void) {
    Word fd = hs_syscall(__NR_memfd_create, (UWord) "heapstory-maps", 1, 0, 0, 0, 0);
    UWord map;
    if (fd < 0 || hs_syscall(__NR_ftruncate, fd, 3 * PIECE, 0, 0, 0, 0) < 0)
        return;
    map =
        hs_syscall(__NR_mmap, 0, 3 * PIECE, VKI_PROT_READ | VKI_PROT_WRITE, VKI_MAP_SHARED, fd, 0);
    if ((Word)map < 0 && (Word)map > -4096)
        return;
    for (SizeT i = 0; i < PIECE / 4; i++)
        ((UInt *)map)[i] = HS_NOBODY;
    hs_set((void *)(map + PIECE), HS_REACH, PIECE);
    hs_set((void *)(map + 2 * PIECE), HS_NOT_HEAD, PIECE);
    hs_syscall(__NR_munmap, map, 3 * PIECE, 0, 0, 0, 0);
    patterns = VG_(safe_fd)(fd);
}

void hs_heap_start(void) {
    hs_owner = reserve(WORDS * sizeof *hs_owner);
    hs_reach = reserve(WORDS);
    if (hs_mode == HSW_INTERNALS)
        hs_heads = reserve(WORDS);
    else
        hs_fields = reserve(WORDS);
    make_patterns();
}

/* ---- filling the maps ---- */

/* Bytes [from, to) of a map get the pattern number `which`, or zeros for -1. */
static void fill(Addr from, Addr to, Int which) {
    Addr low = (from + PIECE - 1) & -PIECE, high = to & -PIECE;
    if (low >= high || (which >= 0 && patterns < 0))
        low = high = to;
    for (Addr at = low; at < high; at += PIECE) {
        UWord flags = VKI_MAP_PRIVATE | VKI_MAP_FIXED | VKI_MAP_NORESERVE;
        Word done = which < 0 ? hs_syscall(__NR_mmap, at, high - at, VKI_PROT_READ | VKI_PROT_WRITE,
                                           flags | VKI_MAP_ANONYMOUS, -1, 0)
                              : hs_syscall(__NR_mmap, at, PIECE, VKI_PROT_READ | VKI_PROT_WRITE,
                                           flags, patterns, which * PIECE);
        tl_assert(done == (Word)at);
        if (which < 0)
            break;
    }
    for (Addr part = from, end = low; part < to; part = high, end = to) {
        if (which == 0)
            for (UInt *p = (UInt *)part; p < (UInt *)end; p++)
                *p = HS_NOBODY;
        else
            hs_set((void *)part, which < 0 ? 0 : which == 1 ? HS_REACH : HS_NOT_HEAD, end - part);
        if (end == to)
            break;
    }
}

static void fill_maps(Addr start, Addr end, Bool heap) {
    Addr from = start >> 3, to = (end + 7) >> 3;
    fill((Addr)(hs_owner + from), (Addr)(hs_owner + to), heap ? 0 : -1);
    fill((Addr)(hs_reach + from), (Addr)(hs_reach + to), heap ? 1 : -1);
    if (hs_heads)
        fill((Addr)(hs_heads + from), (Addr)(hs_heads + to), heap ? 2 : -1);
}

void hs_heap_grows(Addr start, SizeT length) {
    Addr end = start + length, top = 1ul << HS_HEAP_BITS;
    if (end > top)
        end = top;
    if (start >= end)
        return;
    fill_maps(start, end, True);
    hs_pages_on(start, end - start);
}

static void is_no_heap(Addr start, SizeT length) {
    Addr end = start + length, top = 1ul << HS_HEAP_BITS;
    if (end > top)
        end = top;
    if (start >= end)
        return;
    hs_nodes_unmapped(start, end);
    fill_maps(start, end, False);
}

/* ---- stacks ---- */

static struct { Addr start, end; } stacks[MAX_STACKS];
static UInt n_stacks;

static void add_stack(Addr start, Addr end) {
    if (n_stacks == MAX_STACKS)
        n_stacks = MAX_STACKS / 2; /* the newest of so many matter little */
    stacks[n_stacks].start = start;
    stacks[n_stacks++].end = end;
}

static Bool is_stack(Addr address) {
    for (UInt i = 0; i < n_stacks; i++)
        if (address >= stacks[i].start && address < stacks[i].end)
            return True;
    return False;
}

static void forget_stacks(Addr start, Addr end) {
    for (UInt i = n_stacks; i-- > 0;)
        if (stacks[i].start < end && start < stacks[i].end)
            stacks[i] = stacks[--n_stacks];
}

void hs_heap_thread(ThreadId tid) {
    Addr top = VG_(get_SP)(tid) - 8;
    const NSegment *segment = VG_(am_find_nsegment)(top);
    hs_set_shadow(tid, HS_SHADOW_REACH, hs_reach);
    hs_set_shadow(tid, HS_SHADOW_OWNER, hs_owner);
    hs_set_shadow(tid, HS_SHADOW_HEADS, hs_heads);
    if (segment && hs_is_heap(top) && hs_node_at(top) == 0) {
        add_stack(segment->start, segment->end + 1);
        is_no_heap(segment->start, segment->end + 1 - segment->start);
        hs_pages_off(segment->start, segment->end + 1 - segment->start);
    }
}

/* ---- what the kernel does ---- */

void hs_heap_mapped(const struct hs_mapping *mapping) {
    Addr start = mapping->start;
    if (!mapping->anonymous || !(mapping->protection & 2) || mapping->startup ||
        hs_in_module_data(start))
        return;
    if (mapping->stack) {
        add_stack(start, start + mapping->length);
        return;
    }
    hs_heap_grows(start, mapping->length);
    if (hs_is_heap(start))
        hs_reach[start >> 3] = HS_BORDER;
}

void hs_heap_unmapped(Addr start, SizeT length) {
    is_no_heap(start, length);
    forget_stacks(start, start + length);
}

void hs_heap_shrinks(Addr start, SizeT length) {
    is_no_heap(start, length);
    hs_pages_off(start, length);
}

/* Arenas of threads are mapped without access first. */
void hs_heap_protected(Addr start, SizeT length, UInt protection) {
    const NSegment *segment = VG_(am_find_nsegment)(start);
    if (!(protection & 2) || !segment || segment->kind != SkAnonC)
        return;
    if (hs_is_heap(start) || is_stack(start) || hs_in_module_data(start))
        return;
    hs_heap_grows(start, length);
}

/* Nodes that move with their memory end here and are seen anew there. */
void hs_heap_remapped(Addr from, Addr to, SizeT length) {
    if (from == to || !hs_is_heap(from))
        return;
    hs_heap_grows(to, length);
    hs_send_range(to, length, HSW_RANGE_INITIAL, 0);
}
