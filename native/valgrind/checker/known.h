/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What fast code knows of memory: where it is defined, from here on to the end of the superblock.
 */
#ifndef HEAPSTORY_CHECKER_KNOWN_H
#define HEAPSTORY_CHECKER_KNOWN_H

#include "walk/ir.h"

void hs_known_begin(struct hs_superblock *b);
void hs_known_end(void);
void hs_known_follow(const IRStmt *s); /* every statement that sets a temporary, in order */
/* The temporary that an address is at a constant distance of. */
Bool hs_base_of(const IRExpr *address, IRTemp *base, Long *distance);
Bool hs_is_known(const IRExpr *address, UInt size);
void hs_know(const IRExpr *address, Long low, Long high); /* from and up to there, of it */
void hs_know_nothing(void);

#endif
