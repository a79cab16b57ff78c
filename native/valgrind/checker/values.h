/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values that are not all defined, in memory and in registers. */
#ifndef HEAPSTORY_CHECKER_VALUES_H
#define HEAPSTORY_CHECKER_VALUES_H

#include "shared/states.h"

/* values.c: accesses of up to 8 bytes. `what`: HS_ACCESS(). Accesses that are wrong are told. */
ULong hs_load_undefined(Addr address, Addr instruction, ULong what);
/* Of parts of larger ones, which are known to be addressable or were told. */
ULong hs_undefined_at(Addr address, ULong size);
void hs_set_undefined_at(Addr address, ULong size, ULong undefined, ULong origin);

/* Ranges. What is unaddressable stays so. */
void hs_copy_undefined(Addr to, Addr from, SizeT length);
/* What was never stored is as fresh where it moves to: that is its origin from then on. */
void hs_move_undefined(Addr to, Addr from, SizeT length);
void hs_fill_defined(Addr start, SizeT length);
void hs_fill_undefined(Addr start, SizeT length, ULong undefined, ULong origin);

/* What the next fill is done with, set by slow code; it is forgotten by it. */
extern struct hs_filled_with {
    ULong undefined, origin; /* the undefined bits of its byte */
} hs_filled_with;

/* origins.c: where the first undefined byte of a range, which the instruction has just read, came
 * from. 0: there is none. */
UInt hs_origin_at(Addr address, Addr instruction);
ULong hs_origin_of(Addr address, ULong size, Addr instruction);
/* Tells that something depends on a value from there. */
void hs_tell_undefined(UInt kind, UInt origin, Addr instruction, Bool own, UInt site);

/* registers.c: the undefined bits of a thread's registers lie in its first shadow state, where they
 * came from in the second one: four bytes for each eight. */
void hs_registers_start(void);
Bool hs_is_always_defined(Int offset, Int size); /* a part of the guest state */
/* A bit for each group of registers that has an undefined one: what fast code must not touch. */
Int hs_group_of(Int offset); /* of a byte of the guest state; -1: always defined */
#define HS_GROUPS 35
void hs_update_groups(void *guest, ULong groups); /* after slow code has written to these */

/* swaps.c: the stack pointer becomes another. */
void hs_stack_moved(Addr before, Addr after);                 /* by a constant */
void hs_stack_rounded(Addr before, Addr after);               /* by a value, or rounded down */
void hs_stack_set(Addr before, Addr after, ULong from_frame); /* by anything else */
void hs_swaps_start(void);

#define HS_RED_ZONE 128 /* bytes below the stack pointer that a function may use */

#endif
