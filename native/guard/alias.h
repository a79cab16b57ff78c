/* References to freed blocks whose memory was given out again.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One scan sees a word that refers to a freed block, a later one that the word is what it was while
 * another statement has been given that memory. Words on stacks do not count: much of what stands
 * there is left over, and so it is in blocks (the unused end of an array), which count only if the
 * settings say so. A program that stored the new address in the same place looks the same, so
 * blocks that were made by the same statement do not count either. */
#ifndef HEAPSTORY_GUARD_ALIAS_H
#define HEAPSTORY_GUARD_ALIAS_H

#include "heap.h"

#define MOST_DANGLING 16384

struct dangling {
    uintptr_t slot, block;
    size_t size;
    uint32_t made, freed; /* sites */
};
struct danglings {
    uint32_t count;
    struct dangling all[MOST_DANGLING];
};

/* Where words that refer to freed blocks are noted, for the next scan. */
void dangling_begin(struct danglings *notes);
void dangling_note(uintptr_t slot, uintptr_t block);
/* Reports the words of an earlier scan that refer to something else now; `scan` was its number. */
void alias_report(const struct danglings *before, uint16_t scan);

#endif
