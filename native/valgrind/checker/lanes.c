/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operations on vectors: which of them compute lanes on their own, and what of each lane is
 * undefined.
 */
#include "checker/operations.h"

/* ---- lanes of the result ---- */

/* The same, each lane by one of its own. */
static IRExpr *move_lanes(OPERATION, UInt lane) {
    IRExpr *moved = NULL;
    if (o->undefined[0])
        moved = hs_temp(b, o->result, IRExpr_Binop(o->op, o->undefined[0], o->argument[1]));
    return hs_bits_or(b, o->result, moved, hs_lanes_cast(b, o->result, lane, o->undefined[1]));
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

static IRExpr *equal_lanes(OPERATION, UInt lane) {
    IRType type = o->result;
    IRExpr *u = hs_bits_or(b, type, o->undefined[0], o->undefined[1]), *differ;
    if (!u || hs_same_value(o->argument[0], o->argument[1]))
        return NULL;
    differ = hs_surely_differ(b, type, o->argument[0], o->argument[1], u);
    differ = hs_lanes_cast(b, type, lane, differ);
    return hs_bits_and(b, type, hs_lanes_cast(b, type, lane, u), hs_bits_not(b, type, differ));
}

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

/* ---- which operation has which lanes ---- */

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

IRExpr *hs_bits_of_lanes(OPERATION) {
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
        return hs_all_if_any(b, o);
    }
}
