/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which bits of an operation's result are undefined. A bit is defined if it is the same whatever
 * the undefined bits of the arguments are; where that is too much to ask, all bits (of a lane, of
 * the whole) are undefined as soon as one of an argument is.
 *
 * In every function below x and y are the arguments, u and v their undefined bits.
 */
#include "checker/bits.h"
#include "shared/versions.h"

#define OPERATION struct hs_superblock *b, const struct hs_operation *o

static Bool is_same(const IRExpr *x, const IRExpr *y) {
    return x->tag == Iex_RdTmp && y->tag == Iex_RdTmp && x->Iex.RdTmp.tmp == y->Iex.RdTmp.tmp;
}

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

/* The same, each lane by one of its own. */
static IRExpr *move_lanes(OPERATION, UInt lane) {
    IRExpr *moved = NULL;
    if (o->undefined[0])
        moved = hs_temp(b, o->result, IRExpr_Binop(o->op, o->undefined[0], o->argument[1]));
    return hs_bits_or(b, o->result, moved, hs_lanes_cast(b, o->result, lane, o->undefined[1]));
}

/* ---- all or nothing ---- */

static IRExpr *any_of_all(OPERATION) {
    IRExpr *any = NULL;
    for (UInt i = 0; i < o->n; i++)
        any = hs_bits_or(b, Ity_I1, any, hs_any_bit(b, o->type[i], o->undefined[i]));
    return any;
}

static IRExpr *all_if_any(OPERATION) {
    return hs_bits_spread(b, any_of_all(b, o), o->result);
}

/* Arguments that are as wide as the result count lane by lane, others (rounding modes) whole. */
static IRExpr *by_lanes(OPERATION, UInt lane) {
    IRExpr *together = NULL, *others = NULL;
    for (UInt i = 0; i < o->n; i++)
        if (o->type[i] == o->result)
            together = hs_bits_or(b, o->result, together, o->undefined[i]);
        else
            others = hs_bits_or(b, Ity_I1, others, hs_any_bit(b, o->type[i], o->undefined[i]));
    return hs_bits_or(b, o->result, hs_lanes_cast(b, o->result, lane, together),
                      hs_bits_spread(b, others, o->result));
}

/* The lowest lane is computed from the arguments' lowest, the others are the first argument's. */
static IRExpr *lowest_lane(OPERATION, UInt lane) {
    UInt first = o->type[0] == Ity_V128 ? 0 : 1;
    IRExpr *lowest = NULL, *upper = o->undefined[first], *word;
    for (UInt i = 0; i < o->n; i++) {
        IRExpr *u = o->undefined[i];
        if (u && o->type[i] == Ity_V128)
            u = lane == 32 ? hs_unop(b, Iop_V128to32, Ity_I32, u)
                           : hs_unop(b, Iop_V128to64, Ity_I64, u);
        if (u)
            lowest =
                hs_bits_or(b, Ity_I1, lowest, hs_any_bit(b, typeOfIRExpr(b->out->tyenv, u), u));
    }
    if (!upper && !lowest)
        return NULL;
    word = hs_bits_or_none(b, lane == 32 ? Ity_I32 : Ity_I64,
                           hs_bits_spread(b, lowest, lane == 32 ? Ity_I32 : Ity_I64));
    return hs_temp(b, Ity_V128,
                   IRExpr_Binop(lane == 32 ? Iop_SetV128lo32 : Iop_SetV128lo64,
                                hs_bits_or_none(b, Ity_V128, upper), word));
}

/* ---- logic ---- */

/* A defined 0 (of And) or 1 (of Or) decides alone. */
static IRExpr *decided_by_one(OPERATION, Bool is_and) {
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

static IRExpr *exclusive_or(OPERATION) {
    if (is_same(o->argument[0], o->argument[1]))
        return NULL;
    return hs_bits_or(b, o->result, o->undefined[0], o->undefined[1]);
}

/* ---- sums and products ---- */

/* The bits that differ between the least and the greatest result. */
static IRExpr *sum(OPERATION, Bool is_sub) {
    IRType type = o->result;
    IRExpr *x = o->argument[0], *y = o->argument[1], *u = o->undefined[0], *v = o->undefined[1];
    IRExpr *least_x = x, *most_x = x, *least_y = y, *most_y = y, *least, *most;
    if ((!u && !v) || (is_sub && is_same(x, y)))
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

static IRExpr *product(OPERATION) {
    return from_lowest(b, o->result, hs_bits_or(b, o->result, o->undefined[0], o->undefined[1]));
}

/* Twice as wide: the lower half as above, the upper one as soon as there is any. */
static IRExpr *wide_product(OPERATION) {
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

/* Undefined where bits are, unless defined ones already differ; in a type that logic knows. */
static IRExpr *undecided(struct hs_superblock *b, IRType type, IRExpr *x, IRExpr *y, IRExpr *u,
                         IRExpr **differ) {
    *differ = hs_bits_and(b, type, hs_bits_xor(b, type, x, y), hs_bits_not(b, type, u));
    return u;
}

static IRExpr *equality(OPERATION) {
    IRType type = o->type[0];
    IRExpr *x = o->argument[0], *y = o->argument[1], *any, *same, *differ;
    IRExpr *u = hs_bits_or(b, type, o->undefined[0], o->undefined[1]);
    if (!u || is_same(x, y))
        return NULL;
    any = hs_any_bit(b, type, undecided(b, type, x, y, u, &differ));
    same = hs_bits_not(b, Ity_I1, hs_any_bit(b, type, differ));
    return hs_bits_and(b, Ity_I1, any, same);
}

/* Compared with 0: an I1, or (CmpwNEZ) a whole word. */
static IRExpr *not_zero(OPERATION) {
    IRType type = o->type[0];
    IRExpr *u = o->undefined[0], *any, *ones;
    if (!u)
        return NULL;
    ones = hs_bits_and(b, type, o->argument[0], hs_bits_not(b, type, u));
    any = hs_any_bit(b, type, u);
    any = hs_bits_and(b, Ity_I1, any, hs_bits_not(b, Ity_I1, hs_any_bit(b, type, ones)));
    return hs_bits_spread(b, any, o->result);
}

static IRExpr *equal_lanes(OPERATION, UInt lane) {
    IRType type = o->result;
    IRExpr *u = hs_bits_or(b, type, o->undefined[0], o->undefined[1]), *differ;
    if (!u || is_same(o->argument[0], o->argument[1]))
        return NULL;
    u = hs_lanes_cast(b, type, lane,
                      undecided(b, type, o->argument[0], o->argument[1], u, &differ));
    differ = hs_lanes_cast(b, type, lane, differ);
    return hs_bits_and(b, type, u, hs_bits_not(b, type, differ));
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
static IRExpr *order(OPERATION, Bool is_signed) {
    IRExpr *one, *other;
    if ((!o->undefined[0] && !o->undefined[1]) || is_same(o->argument[0], o->argument[1]))
        return NULL;
    one = hs_test(b, o->op, bound(b, o, 0, False, is_signed), bound(b, o, 1, True, is_signed));
    other = hs_test(b, o->op, bound(b, o, 0, True, is_signed), bound(b, o, 1, False, is_signed));
    return hs_bits_xor(b, Ity_I1, one, other);
}

/* ---- counting zeros ---- */

/* Undefined bits count only if they come before the first bit that is surely 1. */
static IRExpr *trailing_zeros(OPERATION) {
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

static IRExpr *leading_zeros(OPERATION) {
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

/* ---- narrowing ---- */

/* Lanes are narrowed by an operation that keeps all ones and none as they are. */
static IRExpr *narrow(OPERATION, IROp op, UInt lane) {
    IRExpr *part[2];
    if (!o->undefined[0] && !o->undefined[1])
        return NULL;
    for (UInt i = 0; i < 2; i++)
        part[i] =
            hs_bits_or_none(b, o->type[i], hs_lanes_cast(b, o->type[i], lane, o->undefined[i]));
    return hs_temp(b, o->result, IRExpr_Binop(op, part[0], part[1]));
}

/* ---- which operation is of which sort ---- */

/* Lanes of 8, 16, 32, 64 bits that are computed on their own; 0: it is none of these. */
static UInt lane_of(IROp op) {
    switch (op) {
    case Iop_Add8x8:
    case Iop_Sub8x8:
    case Iop_QAdd8Ux8:
    case Iop_QAdd8Sx8:
    case Iop_QSub8Ux8:
    case Iop_QSub8Sx8:
    case Iop_Avg8Ux8:
    case Iop_Max8Ux8:
    case Iop_Min8Ux8:
    case Iop_CmpGT8Sx8:
    case Iop_Abs8x8:
    case Iop_Add8x16:
    case Iop_Sub8x16:
    case Iop_QAdd8Ux16:
    case Iop_QAdd8Sx16:
    case Iop_QSub8Ux16:
    case Iop_QSub8Sx16:
    case Iop_Avg8Ux16:
    case Iop_Max8Sx16:
    case Iop_Max8Ux16:
    case Iop_Min8Sx16:
    case Iop_Min8Ux16:
    case Iop_CmpGT8Sx16:
    case Iop_Abs8x16:
    case Iop_Cnt8x16:
    case Iop_Add8x32:
    case Iop_Sub8x32:
    case Iop_QAdd8Ux32:
    case Iop_QAdd8Sx32:
    case Iop_QSub8Ux32:
    case Iop_QSub8Sx32:
    case Iop_Avg8Ux32:
    case Iop_Max8Sx32:
    case Iop_Max8Ux32:
    case Iop_Min8Sx32:
    case Iop_Min8Ux32:
    case Iop_CmpGT8Sx32:
        return 8;
    case Iop_Add16x4:
    case Iop_Sub16x4:
    case Iop_Mul16x4:
    case Iop_MulHi16Ux4:
    case Iop_MulHi16Sx4:
    case Iop_QAdd16Ux4:
    case Iop_QAdd16Sx4:
    case Iop_QSub16Ux4:
    case Iop_QSub16Sx4:
    case Iop_Avg16Ux4:
    case Iop_Max16Sx4:
    case Iop_Min16Sx4:
    case Iop_CmpGT16Sx4:
    case Iop_Abs16x4:
    case Iop_Add16x8:
    case Iop_Sub16x8:
    case Iop_Mul16x8:
    case Iop_MulHi16Ux8:
    case Iop_MulHi16Sx8:
    case Iop_QAdd16Ux8:
    case Iop_QAdd16Sx8:
    case Iop_QSub16Ux8:
    case Iop_QSub16Sx8:
    case Iop_Avg16Ux8:
    case Iop_Max16Sx8:
    case Iop_Max16Ux8:
    case Iop_Min16Sx8:
    case Iop_Min16Ux8:
    case Iop_CmpGT16Sx8:
    case Iop_Abs16x8:
    case Iop_Add16x16:
    case Iop_Sub16x16:
    case Iop_Mul16x16:
    case Iop_MulHi16Ux16:
    case Iop_MulHi16Sx16:
    case Iop_QAdd16Ux16:
    case Iop_QAdd16Sx16:
    case Iop_QSub16Ux16:
    case Iop_QSub16Sx16:
    case Iop_Avg16Ux16:
    case Iop_Max16Sx16:
    case Iop_Max16Ux16:
    case Iop_Min16Sx16:
    case Iop_Min16Ux16:
    case Iop_CmpGT16Sx16:
        return 16;
    case Iop_Add32x2:
    case Iop_Sub32x2:
    case Iop_CmpGT32Sx2:
    case Iop_Abs32x2:
    case Iop_Add32x4:
    case Iop_Sub32x4:
    case Iop_Mul32x4:
    case Iop_Max32Sx4:
    case Iop_Max32Ux4:
    case Iop_Min32Sx4:
    case Iop_Min32Ux4:
    case Iop_CmpGT32Sx4:
    case Iop_Abs32x4:
    case Iop_Add32x8:
    case Iop_Sub32x8:
    case Iop_Mul32x8:
    case Iop_Max32Sx8:
    case Iop_Max32Ux8:
    case Iop_Min32Sx8:
    case Iop_Min32Ux8:
    case Iop_CmpGT32Sx8:
    case Iop_Add32Fx4:
    case Iop_Sub32Fx4:
    case Iop_Mul32Fx4:
    case Iop_Div32Fx4:
    case Iop_Max32Fx4:
    case Iop_Min32Fx4:
    case Iop_CmpEQ32Fx4:
    case Iop_CmpLT32Fx4:
    case Iop_CmpLE32Fx4:
    case Iop_CmpUN32Fx4:
    case Iop_Sqrt32Fx4:
    case Iop_RecipEst32Fx4:
    case Iop_RSqrtEst32Fx4:
    case Iop_I32StoF32x4:
    case Iop_F32toI32Sx4:
    case Iop_Add32Fx8:
    case Iop_Sub32Fx8:
    case Iop_Mul32Fx8:
    case Iop_Div32Fx8:
    case Iop_Max32Fx8:
    case Iop_Min32Fx8:
    case Iop_Sqrt32Fx8:
    case Iop_RecipEst32Fx8:
    case Iop_RSqrtEst32Fx8:
    case Iop_I32StoF32x8:
    case Iop_F32toI32Sx8:
        return 32;
    case Iop_Add64x2:
    case Iop_Sub64x2:
    case Iop_CmpGT64Sx2:
    case Iop_Add64x4:
    case Iop_Sub64x4:
    case Iop_CmpGT64Sx4:
    case Iop_Add64Fx2:
    case Iop_Sub64Fx2:
    case Iop_Mul64Fx2:
    case Iop_Div64Fx2:
    case Iop_Max64Fx2:
    case Iop_Min64Fx2:
    case Iop_CmpEQ64Fx2:
    case Iop_CmpLT64Fx2:
    case Iop_CmpLE64Fx2:
    case Iop_CmpUN64Fx2:
    case Iop_Sqrt64Fx2:
    case Iop_Add64Fx4:
    case Iop_Sub64Fx4:
    case Iop_Mul64Fx4:
    case Iop_Div64Fx4:
    case Iop_Max64Fx4:
    case Iop_Min64Fx4:
    case Iop_Sqrt64Fx4:
        return 64;
    default:
        return 0;
    }
}

static UInt equal_lane_of(IROp op) {
    switch (op) {
    case Iop_CmpEQ8x8:
    case Iop_CmpEQ8x16:
    case Iop_CmpEQ8x32:
        return 8;
    case Iop_CmpEQ16x4:
    case Iop_CmpEQ16x8:
    case Iop_CmpEQ16x16:
        return 16;
    case Iop_CmpEQ32x2:
    case Iop_CmpEQ32x4:
    case Iop_CmpEQ32x8:
        return 32;
    case Iop_CmpEQ64x2:
    case Iop_CmpEQ64x4:
        return 64;
    default:
        return 0;
    }
}

static UInt lowest_lane_of(IROp op) {
    switch (op) {
    case Iop_Add32F0x4 ... Iop_RSqrtEst32F0x4:
        return 32;
    case Iop_Add64F0x2 ... Iop_Sqrt64F0x2:
        return 64;
    default:
        return 0;
    }
}

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

static IRExpr *of_vector(OPERATION) {
    UInt lane = lane_of(o->op);
    if (lane)
        return by_lanes(b, o, lane);
    if ((lane = equal_lane_of(o->op)))
        return equal_lanes(b, o, lane);
    if ((lane = lowest_lane_of(o->op)))
        return lowest_lane(b, o, lane);
    switch (o->op) {
    case Iop_Perm8x8:
    case Iop_Perm8x16:
        return move_lanes(b, o, 8);
    case Iop_Perm32x4:
    case Iop_Perm32x8:
        return move_lanes(b, o, 32);
    case Iop_QNarrowBin16Sto8Ux8:
    case Iop_QNarrowBin16Sto8Sx8:
        return narrow(b, o, Iop_QNarrowBin16Sto8Sx8, 16);
    case Iop_QNarrowBin32Sto16Sx4:
        return narrow(b, o, Iop_QNarrowBin32Sto16Sx4, 32);
    case Iop_QNarrowBin16Sto8Ux16:
    case Iop_QNarrowBin16Sto8Sx16:
        return narrow(b, o, Iop_QNarrowBin16Sto8Sx16, 16);
    case Iop_QNarrowBin32Sto16Ux8:
    case Iop_QNarrowBin32Sto16Sx8:
        return narrow(b, o, Iop_QNarrowBin32Sto16Sx8, 32);
    default:
        return all_if_any(b, o);
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
        return decided_by_one(b, o, True);
    case Iop_Or8 ... Iop_Or64:
    case Iop_Or1:
    case Iop_OrV128:
    case Iop_OrV256:
        return decided_by_one(b, o, False);
    case Iop_Xor8 ... Iop_Xor64:
    case Iop_XorV128:
    case Iop_XorV256:
        return exclusive_or(b, o);
    case Iop_Add8 ... Iop_Add64:
        return sum(b, o, False);
    case Iop_Sub8 ... Iop_Sub64:
        return sum(b, o, True);
    case Iop_Mul8 ... Iop_Mul64:
        return product(b, o);
    case Iop_MullS8 ... Iop_MullU64:
        return wide_product(b, o);
    case Iop_CmpEQ8 ... Iop_CmpNE64:
    case Iop_CasCmpEQ8 ... Iop_ExpCmpNE64:
        return equality(b, o);
    case Iop_CmpNEZ8 ... Iop_CmpwNEZ64:
        return not_zero(b, o);
    case Iop_CmpLT32S ... Iop_CmpLE64S:
        return order(b, o, True);
    case Iop_CmpLT32U ... Iop_CmpLE64U:
        return order(b, o, False);
    HS_CASE_TRAILING_ZEROS:
        return trailing_zeros(b, o);
    HS_CASE_LEADING_ZEROS:
        return leading_zeros(b, o);
    default:
        return o->result == Ity_V128 || o->result == Ity_V256 || o->result == Ity_I64
                   ? of_vector(b, o)
                   : all_if_any(b, o);
    }
}
