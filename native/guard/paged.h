/* Blocks whose end is the end of a page, with a page behind it that cannot be touched: an overrun
 * faults at the instruction, and so does any use after the free.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     | guard | ... header, block, slack (< 16 bytes) | guard | ...
 *
 * For some blocks only: named sites, or every so many allocations. A fixed number of places is
 * used in turn, so that what was freed stays out of reach as long as possible. */
#ifndef HEAPSTORY_GUARD_PAGED_H
#define HEAPSTORY_GUARD_PAGED_H

#include "blocks.h"

/* Reserves the places; false if there is no memory for them. */
bool paged_start(void);
/* Whether the next allocation at a site is to be one of these. */
bool paged_wanted(uint32_t site, struct thread *own);
/* NULL: it is too large, or no place is free. */
void *paged_allocate(size_t size, enum mark kind, uint32_t site);
/* A block of these that is being freed; its mark is the caller's. */
void paged_release(char *user, uint32_t site);

/* The block that had, or has, the place of an address; false if it is no such place. */
bool paged_block(uintptr_t address, struct block *block, bool *live);
/* All of the places, for whoever must know our memory. */
void paged_range(uintptr_t *start, uintptr_t *end);

#endif
