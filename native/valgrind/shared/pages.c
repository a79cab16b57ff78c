/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page map: which pages hold heap blocks or module data. A page stays on after its last block
 * is freed, so that a store through a stale pointer is recorded too.
 *
 * Valgrind places the program's memory below 128 GiB, but grants higher addresses to a program that
 * asks for them (V8 does). Such memory is never recorded; the map covers it all the same,
 * read-only, with pages of zeros that cost nothing until they are looked at, so that generated code
 * needs no test.
 */
#include "shared/pages.h"

#include "shared/syscalls.h"

#define ALL_PAGES (1ul << (47 - HS_PAGE_BITS))

UChar *hs_pages;

void hs_pages_init(void) {
    UWord flags = VKI_MAP_PRIVATE | VKI_MAP_ANONYMOUS | VKI_MAP_NORESERVE;
    Word map = hs_syscall(__NR_mmap, 0, ALL_PAGES, VKI_PROT_READ, flags, -1, 0);
    if (map < 0 && map > -4096) {
        VG_(fmsg)
        ("heapstory: no address space for the page map (raise the limit: ulimit -v unlimited)\n");
        VG_(exit)(125);
    }
    hs_syscall(__NR_mprotect, map, HS_PAGES, VKI_PROT_READ | VKI_PROT_WRITE, 0, 0, 0);
    hs_pages = (UChar *)map;
}

static void set(Addr start, SizeT length, UChar value) {
    Addr first = start >> HS_PAGE_BITS, last;
    if (length == 0)
        return;
    last = (start + length - 1) >> HS_PAGE_BITS;
    for (Addr page = first; page <= last && page < HS_PAGES; page++)
        hs_pages[page] = value;
}

void hs_pages_on(Addr start, SizeT length) {
    set(start, length, HS_PAGE_ON);
}

void hs_pages_off(Addr start, SizeT length) {
    set(start, length, 0);
}
