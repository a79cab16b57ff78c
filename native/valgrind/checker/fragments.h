/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pieces of generated code that both kinds use. */
#ifndef HEAPSTORY_CHECKER_FRAGMENTS_H
#define HEAPSTORY_CHECKER_FRAGMENTS_H

#include "checker/ahead.h"
#include "checker/stack.h"

/* An I1: the bytes are not all defined, or it takes C code to tell. `aligned`: the address is known
 * to be, to four bytes. */
IRExpr *hs_load_needs_look(struct hs_superblock *b, IRExpr *address, UInt size, Bool aligned);
/* The same of a store: not all addressable, or not all as a store of defined bytes expects. */
IRExpr *hs_store_needs_look(struct hs_superblock *b, IRExpr *address, UInt size, Bool aligned);
/* The same of loads that are tested together. */
IRExpr *hs_loads_need_look(struct hs_superblock *b, IRExpr *address, struct hs_span span,
                           Bool aligned);
/* The bytes become defined, after a store that did not need a look. */
void hs_make_stored_defined(struct hs_superblock *b, IRExpr *address, UInt size);

IRExpr *hs_both(struct hs_superblock *b, IRExpr *x, IRExpr *y); /* of I1 */

/* The stack pointer is about to be set, by C code. */
void hs_stack_changes(struct hs_superblock *b, IRExpr *after, enum hs_stack_change change);
/* Which groups of registers are undefined, after slow code wrote to these; guard NULL: always. */
void hs_tell_groups(struct hs_superblock *b, ULong groups, IRExpr *guard);

#endif
