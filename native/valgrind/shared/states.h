/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The shadow of a program whose values are checked: two bits per byte of its memory. */
#ifndef HEAPSTORY_SHARED_STATES_H
#define HEAPSTORY_SHARED_STATES_H

#include "shared/tool.h"

/* The lower bit: not all of the byte is defined. The upper one: a store must look closer. */
enum hs_state {
    HS_DEFINED = 0,
    HS_FRESH = 1, /* uninitialised: nothing was stored since it became the program's */
    HS_KEPT = 2,  /* a value was stored that is not all defined: see struct hs_kept */
    HS_UNADDRESSABLE = 3
};

extern UChar *hs_states; /* the state of a: bits 2 * (a & 3) and up of hs_states[a >> 2]; or NULL */

/* Of an aligned word of four bytes, some of which are HS_KEPT. */
struct hs_kept {
    UChar undefined[4]; /* per byte, its undefined bits */
    UInt origin;        /* HS_ORIGIN() of where it came from, see checker/origins.c */
};
#define HS_ORIGIN_BITS 5
#define HS_ORIGIN(address) ((UInt)((address) >> HS_ORIGIN_BITS))
extern struct hs_kept *hs_kept; /* by address / 4 */

void hs_states_start(void);
void hs_set_states(Addr start, SizeT length, enum hs_state state);

/* Beyond this nothing of the program's lies, and all reads as defined. */
#define HS_STATES_END (1ul << 37)

static inline UInt hs_state(Addr address) {
    return hs_states[address >> 2] >> 2 * (address & 3) & 3;
}

static inline void hs_set_state(Addr address, UInt state) {
    UChar *byte = &hs_states[address >> 2];
    UInt shift = 2 * (address & 3);
    *byte = (*byte & ~(3u << shift)) | state << shift;
}

/* The first byte of a range in a state that is in the set; the range's end if there is none. */
Addr hs_find_state(Addr start, SizeT length, UInt set);
#define HS_ANY_OF(state) (1u << (state))

#endif
