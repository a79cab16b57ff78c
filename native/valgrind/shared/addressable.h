/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The checker's shadow: a bit per byte of the program's memory, set where the program must not
 * touch it. Nothing is set outside of heaps. It can be read for any address that is mapped. */
#ifndef HEAPSTORY_SHARED_ADDRESSABLE_H
#define HEAPSTORY_SHARED_ADDRESSABLE_H

#include "shared/tool.h"

extern UChar *hs_unaddressable; /* NULL: nothing is checked */
static inline Bool hs_checking(void) {
    return hs_unaddressable != NULL;
}

void hs_addressable_start(void);
void hs_make_unaddressable(Addr start, SizeT length);
void hs_make_addressable(Addr start, SizeT length);
/* The first byte of a range that is not addressable; its end if all are. */
Addr hs_first_unaddressable(Addr start, SizeT length);

#endif
