/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The checker's shadow, light: a bit per byte of the program's memory, set where the program must
 * not touch it. Nothing is set outside of heaps. It can be read for any address that is mapped.
 * Where values are checked as well, there are two bits per byte in its place (states.h). */
#ifndef HEAPSTORY_SHARED_ADDRESSABLE_H
#define HEAPSTORY_SHARED_ADDRESSABLE_H

#include "shared/states.h"

extern UChar *hs_unaddressable; /* NULL: there is none */
static inline Bool hs_checking(void) {
    return hs_unaddressable != NULL || hs_states != NULL;
}

void hs_addressable_start(void);
void hs_make_unaddressable(Addr start, SizeT length);
void hs_make_addressable(Addr start, SizeT length); /* and uninitialised */
/* The first byte of a range that is not addressable; its end if all are. */
Addr hs_first_unaddressable(Addr start, SizeT length);
/* Whether the program may read the 8 bytes there, and has set all of them; as far as is known. */
Bool hs_word_is_set(Addr word);

#endif
