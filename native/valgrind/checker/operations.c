/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which bits of an operation's result are undefined. A bit is defined if it is the same whatever
 * the undefined bits of the arguments are; where that is too much to ask, all bits (of a lane, of
 * the whole) are undefined as soon as one of an argument is. arithmetic.c and lanes.c have the
 * sorts of operations that need thought; here is which operation is of which sort.
 */
#include "checker/operations.h"

#include "shared/versions.h"

static IRExpr *bits_of(OPERATION, UInt i) {
    return hs_bits_or_none(b, o->type[i], o->undefined[i]);
}

/* ---- the same operation, done with bits ---- */

static IRExpr *apply(OPERATION) {
    switch (o->n) {
    case 1:
        return hs_unop(b, o->op, o->result, o->undefined[0]);
    case 2:
        return hs_temp(b, o->result, IRExpr_Binop(o->op, bits_of(b, o, 0), bits_of(b, o, 1)));
    case 4:
        return hs_temp(b, o->result,
                       IRExpr_Qop(o->op, bits_of(b, o, 0), bits_of(b, o, 1), bits_of(b, o, 2),
                                  bits_of(b, o, 3)));
    default:
        VG_(tool_panic)("heapstory: an operation with an unknown number of arguments");
    }
}

/* The first argument's bits are moved about by a second one, which ought to be defined. */
static IRExpr *move(OPERATION) {
    IRExpr *moved = NULL;
    if (o->undefined[0])
        moved = hs_temp(b, o->result, IRExpr_Binop(o->op, o->undefined[0], o->argument[1]));
    return hs_bits_or(b, o->result, moved, hs_bits_cast(b, o->type[1], o->result, o->undefined[1]));
}

/* ---- all or nothing ---- */

static IRExpr *any_of_all(OPERATION) {
    IRExpr *any = NULL;
    for (UInt i = 0; i < o->n; i++)
        any = hs_bits_or(b, Ity_I1, any, hs_any_bit(b, o->type[i], o->undefined[i]));
    return any;
}

IRExpr *hs_all_if_any(OPERATION) {
    return hs_bits_spread(b, any_of_all(b, o), o->result);
}

/* ---- which operation is of which sort ---- */

/* Conversions, halves, shuffles: every bit of the result is one of an argument, or 0. */
static Bool moves_bits(IROp op) {
    switch (op) {
    case Iop_8Uto16 ... Iop_64HLto128:
    case Iop_Not1:
    case Iop_32to1 ... Iop_1Sto64:
    case Iop_V128to64 ... Iop_SetV128lo32:
    case Iop_V256to64_0 ... Iop_V128HLtoV256:
    case Iop_InterleaveHI8x8 ... Iop_CatEvenLanes16x4:
    case Iop_InterleaveHI8x16 ... Iop_CatEvenLanes32x4:
    case Iop_Dup8x8 ... Iop_Dup32x2:
    case Iop_Dup8x16 ... Iop_Dup32x4:
    case Iop_Reverse8sIn64_x1:
    case Iop_GetMSBs8x8:
    case Iop_GetMSBs8x16:
        return True;
    default:
        return False;
    }
}

/* Bits stay where they are, and what they are. */
static Bool keeps_bits(IROp op) {
    switch (op) {
    case Iop_ReinterpF64asI64:
    case Iop_ReinterpI64asF64:
    case Iop_ReinterpF32asI32:
    case Iop_ReinterpI32asF32:
    case Iop_Not8 ... Iop_Not64:
    case Iop_Not1:
    case Iop_NotV128:
    case Iop_NotV256:
    case Iop_NegF64:
    case Iop_AbsF64:
    case Iop_NegF32:
    case Iop_AbsF32:
        return True;
    default:
        return False;
    }
}

static Bool shifts(IROp op) {
    switch (op) {
    case Iop_Shl8 ... Iop_Sar64:
    case Iop_ShlV128:
    case Iop_ShrV128:
    case Iop_ShlN8x8 ... Iop_SarN32x2:
    case Iop_ShlN8x16 ... Iop_SarN64x2:
    case Iop_ShlN16x16 ... Iop_SarN32x8:
        return True;
    default:
        return False;
    }
}

static Bool has_any(const struct hs_operation *o) {
    for (UInt i = 0; i < o->n; i++)
        if (o->undefined[i])
            return True;
    return False;
}

IRExpr *hs_bits_of_operation(OPERATION) {
    if (!has_any(o))
        return NULL;
    if (keeps_bits(o->op))
        return o->undefined[0];
    if (moves_bits(o->op))
        return apply(b, o);
    if (shifts(o->op))
        return move(b, o);
    switch (o->op) {
    case Iop_And8 ... Iop_And64:
    case Iop_And1:
    case Iop_AndV128:
    case Iop_AndV256:
        return hs_bits_of_and_or(b, o, True);
    case Iop_Or8 ... Iop_Or64:
    case Iop_Or1:
    case Iop_OrV128:
    case Iop_OrV256:
        return hs_bits_of_and_or(b, o, False);
    case Iop_Xor8 ... Iop_Xor64:
    case Iop_XorV128:
    case Iop_XorV256:
        return hs_bits_of_xor(b, o);
    case Iop_Add8 ... Iop_Add64:
        return hs_bits_of_sum(b, o, False);
    case Iop_Sub8 ... Iop_Sub64:
        return hs_bits_of_sum(b, o, True);
    case Iop_Mul8 ... Iop_Mul64:
        return hs_bits_of_product(b, o);
    case Iop_MullS8 ... Iop_MullU64:
        return hs_bits_of_wide_product(b, o);
    case Iop_CmpEQ8 ... Iop_CmpNE64:
    case Iop_ExpCmpNE8 ... Iop_ExpCmpNE64:
        return hs_bits_of_equality(b, o);
    case Iop_CasCmpEQ8 ... Iop_CasCmpNE64: /* the translation's own: did another thread store? */
        return NULL;
    case Iop_CmpNEZ8 ... Iop_CmpwNEZ64:
        return hs_bits_of_not_zero(b, o);
    case Iop_CmpLT32S ... Iop_CmpLE64S:
        return hs_bits_of_order(b, o, True);
    case Iop_CmpLT32U ... Iop_CmpLE64U:
        return hs_bits_of_order(b, o, False);
    HS_CASE_TRAILING_ZEROS:
        return hs_bits_of_trailing_zeros(b, o);
    HS_CASE_LEADING_ZEROS:
        return hs_bits_of_leading_zeros(b, o);
    default:
        return o->result == Ity_V128 || o->result == Ity_V256 || o->result == Ity_I64
                   ? hs_bits_of_lanes(b, o)
                   : hs_all_if_any(b, o);
    }
}
