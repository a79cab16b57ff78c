/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Generated code that computes undefined bits. Each value has as many of them as it has bits, as an
 * integer or vector; NULL stands for none, and what is known while translating costs nothing.
 */
#ifndef HEAPSTORY_CHECKER_BITS_H
#define HEAPSTORY_CHECKER_BITS_H

#include "walk/ir.h"

IRType hs_bits_type(IRType type); /* of a value's bits */
IRExpr *hs_no_bits(struct hs_superblock *b, IRType type);

/* All of these take and give atoms, and take NULL where a parameter is one of bits. */
IRExpr *hs_bits_or(struct hs_superblock *b, IRType type, IRExpr *x, IRExpr *y);
IRExpr *hs_bits_and(struct hs_superblock *b, IRType type, IRExpr *x, IRExpr *y);
IRExpr *hs_bits_xor(struct hs_superblock *b, IRType type, IRExpr *x, IRExpr *y);
IRExpr *hs_bits_not(struct hs_superblock *b, IRType type, IRExpr *x);
IRExpr *hs_any_bit(struct hs_superblock *b, IRType type, IRExpr *x);     /* an I1, or NULL */
IRExpr *hs_bits_spread(struct hs_superblock *b, IRExpr *any, IRType to); /* all, if an I1 is set */
IRExpr *hs_bits_cast(struct hs_superblock *b, IRType from, IRType to, IRExpr *x);  /* all if any */
IRExpr *hs_lanes_cast(struct hs_superblock *b, IRType type, UInt lane, IRExpr *x); /* per lane */
IRExpr *hs_bits_or_none(struct hs_superblock *b, IRType type, IRExpr *x);          /* never NULL */
/* Words of 8 bytes, lowest first; returns how many. */
UInt hs_bits_words(struct hs_superblock *b, IRType type, IRExpr *bits, IRExpr *word[HS_WORDS]);
IRExpr *hs_bits_from_words(struct hs_superblock *b, IRType type, IRExpr *word[HS_WORDS]);

/* A value itself where bits are computed with it: as an integer or vector. */
IRExpr *hs_as_integer(struct hs_superblock *b, IRExpr *value);

/* operations.c: the undefined bits of an operation's result, from its arguments and theirs. */
#define HS_MOST_ARGUMENTS 4
struct hs_operation {
    IROp op;
    IRType result;
    UInt n;
    IRExpr *argument[HS_MOST_ARGUMENTS];
    IRExpr *undefined[HS_MOST_ARGUMENTS];
    IRType type[HS_MOST_ARGUMENTS];
};
IRExpr *hs_bits_of_operation(struct hs_superblock *b, const struct hs_operation *operation);

#endif
