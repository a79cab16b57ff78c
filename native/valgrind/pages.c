/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page map: which pages hold heap blocks or module data. A page stays on after its last block
 * is freed, so that a store through a stale pointer is recorded too.
 */
#include "recorder.h"

UChar hs_pages[HS_PAGES] __attribute__((aligned(4096)));

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
