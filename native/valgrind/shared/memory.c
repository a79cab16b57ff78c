/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel does to the program's memory: told to the page map, to the modules and to all who
 * listen. Valgrind has one hook for each of these, so they come together here.
 */
#include "shared/memory.h"

#include "shared/files.h"
#include "shared/listeners.h"
#include "shared/modules.h"
#include "shared/pages.h"

#define MAP_STACK 0x20000 /* of mmap; not in Valgrind's headers */

static UWord mmap_flags;

void hs_memory_mmap_flags(UWord flags) {
    mmap_flags = flags;
}

static UInt protection_of(Bool r, Bool w, Bool x) {
    return (r ? 1 : 0) | (w ? 2 : 0) | (x ? 4 : 0);
}

static void appears(Addr start, SizeT length, UInt protection, Bool startup) {
    const NSegment *segment = VG_(am_find_nsegment)(start);
    hs_pages_off(start, length);
    HS_TELL(unmapped, start, length);
    hs_file_unmapped(start, length);
    if (!segment)
        return;
    hs_file_mapped(start, length, segment);
    struct hs_mapping mapping = {
        start,  length, protection, segment->kind == SkAnonC, (mmap_flags & MAP_STACK) != 0,
        startup};
    HS_TELL(mapped, &mapping);
    hs_module_mapped(start, length, protection, segment);
}

static void mapped(Addr start, SizeT length, Bool r, Bool w, Bool x, ULong handle) {
    appears(start, length, protection_of(r, w, x), False);
}

static void mapped_at_startup(Addr start, SizeT length, Bool r, Bool w, Bool x, ULong handle) {
    appears(start, length, protection_of(r, w, x), True);
}

static void unmapped(Addr start, SizeT length) {
    hs_pages_off(start, length);
    HS_TELL(unmapped, start, length);
    hs_file_unmapped(start, length);
    hs_module_unmapped(start, length);
}

static void brk_grows(Addr start, SizeT length, ThreadId tid) {
    HS_TELL(brk_grows, start, length);
}

static void brk_shrinks(Addr start, SizeT length) {
    HS_TELL(brk_shrinks, start, length);
}

static void protection_changes(Addr start, SizeT length, Bool r, Bool w, Bool x) {
    HS_TELL(protected, start, length, protection_of(r, w, x));
}

static void remapped(Addr from, Addr to, SizeT length) {
    const NSegment *segment = VG_(am_find_nsegment)(to);
    HS_TELL(remapped, from, to, length);
    hs_file_unmapped(to, length);
    if (segment)
        hs_file_mapped(to, length, segment);
}

void hs_memory_init(void) {
    VG_(track_new_mem_startup)(mapped_at_startup);
    VG_(track_new_mem_mmap)(mapped);
    VG_(track_die_mem_munmap)(unmapped);
    VG_(track_new_mem_brk)(brk_grows);
    VG_(track_die_mem_brk)(brk_shrinks);
    VG_(track_change_mem_mprotect)(protection_changes);
    VG_(track_copy_mem_remap)(remapped);
}
