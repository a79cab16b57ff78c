/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Logic, sums, products, comparisons and counts of zeros, bit by bit: what of the result is
 * undefined. In every function below x and y are the arguments, u and v their undefined bits.
 */
#include "checker/operations.h"

Bool hs_same_value(const IRExpr *x, const IRExpr *y) {
    return x->tag == Iex_RdTmp && y->tag == Iex_RdTmp && x->Iex.RdTmp.tmp == y->Iex.RdTmp.tmp;
}

/* ---- logic ---- */

/* A defined 0 (of And) or 1 (of Or) decides alone. */
IRExpr *hs_bits_of_and_or(OPERATION, Bool is_and) {
    IRType type = o->result;
    IRExpr *x = o->argument[0], *y = o->argument[1], *u = o->undefined[0], *v = o->undefined[1];
    IRExpr *together = hs_bits_or(b, type, u, v);
    if (!together)
        return NULL;
    if (!is_and) {
        x = hs_bits_not(b, type, x);
        y = hs_bits_not(b, type, y);
    }
    together = hs_bits_and(b, type, together, hs_bits_or(b, type, x, u));
    return hs_bits_and(b, type, together, hs_bits_or(b, type, y, v));
}

IRExpr *hs_bits_of_xor(OPERATION) {
    if (hs_same_value(o->argument[0], o->argument[1]))
        return NULL;
    return hs_bits_or(b, o->result, o->undefined[0], o->undefined[1]);
}

/* ---- sums and products ---- */

/* The bits that differ between the least and the greatest result. */
IRExpr *hs_bits_of_sum(OPERATION, Bool is_sub) {
    IRType type = o->result;
    IRExpr *x = o->argument[0], *y = o->argument[1], *u = o->undefined[0], *v = o->undefined[1];
    IRExpr *least_x = x, *most_x = x, *least_y = y, *most_y = y, *least, *most;
    if ((!u && !v) || (is_sub && hs_same_value(x, y)))
        return NULL;
    if (u) {
        least_x = hs_bits_and(b, type, x, hs_bits_not(b, type, u));
        most_x = hs_bits_or(b, type, x, u);
    }
    if (v) {
        least_y = hs_bits_and(b, type, y, hs_bits_not(b, type, v));
        most_y = hs_bits_or(b, type, y, v);
    }
    least = hs_temp(b, type, IRExpr_Binop(o->op, least_x, is_sub ? most_y : least_y));
    most = hs_temp(b, type, IRExpr_Binop(o->op, most_x, is_sub ? least_y : most_y));
    return hs_bits_or(b, type, hs_bits_or(b, type, u, v), hs_bits_xor(b, type, least, most));
}

/* From the lowest undefined bit on. */
static IRExpr *from_lowest(struct hs_superblock *b, IRType type, IRExpr *bits) {
    IROp op = type == Ity_I8    ? Iop_Sub8
              : type == Ity_I16 ? Iop_Sub16
              : type == Ity_I32 ? Iop_Sub32
                                : Iop_Sub64;
    if (!bits)
        return NULL;
    return hs_bits_or(b, type, bits, hs_temp(b, type, IRExpr_Binop(op, hs_no_bits(b, type), bits)));
}

IRExpr *hs_bits_of_product(OPERATION) {
    return from_lowest(b, o->result, hs_bits_or(b, o->result, o->undefined[0], o->undefined[1]));
}

/* Twice as wide: the lower half as above, the upper one as soon as there is any. */
IRExpr *hs_bits_of_wide_product(OPERATION) {
    IRType half = o->type[0];
    IROp join = half == Ity_I8    ? Iop_8HLto16
                : half == Ity_I16 ? Iop_16HLto32
                : half == Ity_I32 ? Iop_32HLto64
                                  : Iop_64HLto128;
    IRExpr *low = from_lowest(b, half, hs_bits_or(b, half, o->undefined[0], o->undefined[1]));
    if (!low)
        return NULL;
    return hs_temp(b, o->result, IRExpr_Binop(join, hs_bits_cast(b, half, half, low), low));
}

/* ---- comparisons ---- */

/* Bits that are defined and not the same decide alone. */
IRExpr *hs_surely_differ(struct hs_superblock *b, IRType type, IRExpr *x, IRExpr *y, IRExpr *u) {
    return hs_bits_and(b, type, hs_bits_xor(b, type, x, y), hs_bits_not(b, type, u));
}

IRExpr *hs_bits_of_equality(OPERATION) {
    IRType type = o->type[0];
    IRExpr *x = o->argument[0], *y = o->argument[1], *same;
    IRExpr *u = hs_bits_or(b, type, o->undefined[0], o->undefined[1]);
    if (!u || hs_same_value(x, y))
        return NULL;
    same = hs_bits_not(b, Ity_I1, hs_any_bit(b, type, hs_surely_differ(b, type, x, y, u)));
    return hs_bits_and(b, Ity_I1, hs_any_bit(b, type, u), same);
}

/* Compared with 0: an I1, or (CmpwNEZ) a whole word. */
IRExpr *hs_bits_of_not_zero(OPERATION) {
    IRType type = o->type[0];
    IRExpr *u = o->undefined[0], *any, *ones;
    if (!u)
        return NULL;
    ones = hs_bits_and(b, type, o->argument[0], hs_bits_not(b, type, u));
    any = hs_any_bit(b, type, u);
    any = hs_bits_and(b, Ity_I1, any, hs_bits_not(b, Ity_I1, hs_any_bit(b, type, ones)));
    return hs_bits_spread(b, any, o->result);
}

static IRExpr *sign_bit(IRType type) {
    return type == Ity_I32 ? IRExpr_Const(IRConst_U32(1u << 31)) : hs_const(1ull << 63);
}

/* The least or the greatest value that an argument can have. */
static IRExpr *bound(OPERATION, UInt i, Bool greatest, Bool is_signed) {
    IRType type = o->type[i];
    IRExpr *x = o->argument[i], *u = o->undefined[i], *sign;
    if (!u)
        return x;
    if (!is_signed)
        return greatest ? hs_bits_or(b, type, x, u)
                        : hs_bits_and(b, type, x, hs_bits_not(b, type, u));
    sign = hs_bits_and(b, type, u, sign_bit(type));
    if (greatest)
        return hs_bits_and(b, type, hs_bits_or(b, type, x, u), hs_bits_not(b, type, sign));
    return hs_bits_or(b, type, hs_bits_and(b, type, x, hs_bits_not(b, type, u)), sign);
}

/* Undefined if it depends on which of its values an argument has. */
IRExpr *hs_bits_of_order(OPERATION, Bool is_signed) {
    IRExpr *one, *other;
    if ((!o->undefined[0] && !o->undefined[1]) || hs_same_value(o->argument[0], o->argument[1]))
        return NULL;
    one = hs_test(b, o->op, bound(b, o, 0, False, is_signed), bound(b, o, 1, True, is_signed));
    other = hs_test(b, o->op, bound(b, o, 0, True, is_signed), bound(b, o, 1, False, is_signed));
    return hs_bits_xor(b, Ity_I1, one, other);
}

/* ---- counting zeros ---- */

/* Undefined bits count only if they come before the first bit that is surely 1. */
IRExpr *hs_bits_of_trailing_zeros(OPERATION) {
    IRType type = o->type[0];
    IROp minus = type == Ity_I32 ? Iop_Sub32 : Iop_Sub64;
    IRExpr *u = o->undefined[0], *ones, *before;
    IRExpr *one = type == Ity_I32 ? IRExpr_Const(IRConst_U32(1)) : hs_const(1);
    if (!u)
        return NULL;
    ones = hs_bits_and(b, type, o->argument[0], hs_bits_not(b, type, u));
    before = hs_bits_xor(b, type, ones, hs_temp(b, type, IRExpr_Binop(minus, ones, one)));
    return hs_bits_cast(b, type, o->result, hs_bits_and(b, type, u, before));
}

IRExpr *hs_bits_of_leading_zeros(OPERATION) {
    IRType type = o->type[0];
    IRExpr *u = o->undefined[0], *ones;
    if (!u)
        return NULL;
    ones = hs_bits_and(b, type, o->argument[0], hs_bits_not(b, type, u));
    for (UInt by = 1; by < 8u * sizeofIRType(type); by *= 2) {
        IRExpr *shift = IRExpr_Const(IRConst_U8(by));
        IROp op = type == Ity_I32 ? Iop_Shr32 : Iop_Shr64;
        ones = hs_bits_or(b, type, ones, hs_temp(b, type, IRExpr_Binop(op, ones, shift)));
    }
    return hs_bits_cast(b, type, o->result, hs_bits_and(b, type, u, hs_bits_not(b, type, ones)));
}
