/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the superblock is going to do, so that fast code can do several things at once. */
#ifndef HEAPSTORY_CHECKER_AHEAD_H
#define HEAPSTORY_CHECKER_AHEAD_H

#include "walk/ir.h"

void hs_ahead_begin(struct hs_superblock *b); /* after hs_known_begin and hs_stack_begin */
void hs_ahead_end(void);

/* Accesses from one on, through the same pointer, that nothing can come between: what they cover,
 * as distances from its address, in at most 32 bytes. */
struct hs_span {
    Long low, high;
    ULong states; /* the states of what is covered, counted from `low`, as bits of the shadow */
};
struct hs_span hs_loads_ahead(const struct hs_superblock *b, IRExpr *address, UInt size);
/* The same of stores to the stack that follow each other without a gap, in at most 64 bytes. */
struct hs_span hs_pushes_ahead(const struct hs_superblock *b, IRExpr *address, UInt size);

/* What is to be done where the stack pointer is set by the current statement, in bytes from the new
 * one on, red zone not counted: for all that changes it up to the next way out. */
struct hs_stack_work {
    Long fresh, n_fresh; /* becomes uninitialised: from, how many; 0: nothing */
    Long gone, n_gone;   /* becomes unaddressable */
};
struct hs_stack_work hs_stack_work_at(const struct hs_superblock *b);

#endif
