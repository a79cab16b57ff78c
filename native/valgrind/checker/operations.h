/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sorts of operations, and which bits of their results are undefined. */
#ifndef HEAPSTORY_CHECKER_OPERATIONS_H
#define HEAPSTORY_CHECKER_OPERATIONS_H

#include "checker/bits.h"

#define OPERATION struct hs_superblock *b, const struct hs_operation *o

/* operations.c: all bits, as soon as one of any argument is undefined. */
IRExpr *hs_all_if_any(OPERATION);

/* arithmetic.c */
Bool hs_same_value(const IRExpr *x, const IRExpr *y); /* the same temporary */
IRExpr *hs_bits_of_and_or(OPERATION, Bool is_and);
IRExpr *hs_bits_of_xor(OPERATION);
IRExpr *hs_bits_of_sum(OPERATION, Bool is_sub);
IRExpr *hs_bits_of_product(OPERATION);
IRExpr *hs_bits_of_wide_product(OPERATION);
IRExpr *hs_bits_of_equality(OPERATION);
IRExpr *hs_bits_of_not_zero(OPERATION);
IRExpr *hs_bits_of_order(OPERATION, Bool is_signed);
IRExpr *hs_bits_of_trailing_zeros(OPERATION);
IRExpr *hs_bits_of_leading_zeros(OPERATION);
/* Bits of x and y that differ, whatever the undefined ones are. */
IRExpr *hs_surely_differ(struct hs_superblock *b, IRType type, IRExpr *x, IRExpr *y, IRExpr *u);

/* lanes.c: an operation on vectors, or one that nothing is known of. */
IRExpr *hs_bits_of_lanes(OPERATION);

#endif
