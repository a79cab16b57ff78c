/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pieces of generated code that both kinds use. */
#ifndef HEAPSTORY_CHECKER_FRAGMENTS_H
#define HEAPSTORY_CHECKER_FRAGMENTS_H

#include "walk/ir.h"

/* An I1: the bytes are not all defined, or it takes C code to tell. */
IRExpr *hs_load_needs_look(struct hs_superblock *b, IRExpr *address, UInt size);
/* The same of a store: not all addressable, or not all as a store of defined bytes expects. */
IRExpr *hs_store_needs_look(struct hs_superblock *b, IRExpr *address, UInt size);
/* The bytes become defined, after a store that did not need a look. */
void hs_make_stored_defined(struct hs_superblock *b, IRExpr *address, UInt size);

IRExpr *hs_both(struct hs_superblock *b, IRExpr *x, IRExpr *y); /* of I1 */

/* The stack pointer is about to be set by this statement. */
void hs_stack_pointer_is_set(struct hs_superblock *b, const IRStmt *s);
/* Which groups of registers are undefined, after slow code wrote to these; guard NULL: always. */
void hs_tell_groups(struct hs_superblock *b, ULong groups, IRExpr *guard);

#endif
