/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stack pointer within a superblock: which temporaries are at a known distance from it. */
#ifndef HEAPSTORY_CHECKER_STACK_H
#define HEAPSTORY_CHECKER_STACK_H

#include "walk/ir.h"

/* How the stack pointer is set. */
enum hs_stack_change {
    HS_BY_CONSTANT, /* to what it was, plus a constant */
    HS_BY_VALUE,    /* computed from what it was: rounded down, less a variable's size */
    HS_FROM_FRAME,  /* computed from the frame pointer */
    HS_ANEW
};

void hs_stack_begin(struct hs_superblock *b);
void hs_stack_end(void);
/* To be told of every statement that sets a temporary, in order, and of those that set the stack
 * pointer, for which it says how; `distance`: of HS_BY_CONSTANT. */
void hs_stack_follow(const IRStmt *s);
enum hs_stack_change hs_stack_is_set(const IRStmt *s, Long *distance);
/* Whether an address is the stack pointer as it is, plus a constant. */
Bool hs_stack_distance(const IRExpr *address, Long *distance);

#endif
