/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A byte per 4-KiB page of the program's address space: what the cursor advances by when a store
 * falls into it. It can be read for any address; only pages below 128 GiB are ever on. */
#ifndef HEAPSTORY_SHARED_PAGES_H
#define HEAPSTORY_SHARED_PAGES_H

#include "shared/tool.h"

#define HS_PAGE_BITS 12
#define HS_PAGES (1ul << 25)
#define HS_PAGE_ON 16
extern UChar *hs_pages;
void hs_pages_init(void);
void hs_pages_on(Addr start, SizeT length);
void hs_pages_off(Addr start, SizeT length);
static inline Bool hs_page_is_on(Addr address) {
    Addr page = address >> HS_PAGE_BITS;
    return page < HS_PAGES && hs_pages[page] != 0;
}

#endif
