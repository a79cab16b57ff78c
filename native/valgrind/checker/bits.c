/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words for computing with undefined bits. */
#include "checker/bits.h"

IRType hs_bits_type(IRType type) {
    switch (type) {
    case Ity_F16:
        return Ity_I16;
    case Ity_F32:
    case Ity_D32:
        return Ity_I32;
    case Ity_F64:
    case Ity_D64:
        return Ity_I64;
    case Ity_F128:
    case Ity_D128:
        return Ity_I128;
    default:
        return type;
    }
}

static IRExpr *constant(IRType type, Bool ones) {
    ULong value = ones ? ~0ull : 0;
    switch (type) {
    case Ity_I1:
        return IRExpr_Const(IRConst_U1(ones));
    case Ity_I8:
        return IRExpr_Const(IRConst_U8(value));
    case Ity_I16:
        return IRExpr_Const(IRConst_U16(value));
    case Ity_I32:
        return IRExpr_Const(IRConst_U32(value));
    case Ity_I64:
        return hs_const(value);
    case Ity_V128:
        return IRExpr_Const(IRConst_V128(value));
    case Ity_V256:
        return IRExpr_Const(IRConst_V256(value));
    default:
        VG_(tool_panic)("heapstory: bits of an unknown type");
    }
}

IRExpr *hs_no_bits(struct hs_superblock *b, IRType type) {
    if (type == Ity_I128)
        return hs_temp(b, type, IRExpr_Binop(Iop_64HLto128, hs_const(0), hs_const(0)));
    return constant(type, False);
}

IRExpr *hs_bits_or_none(struct hs_superblock *b, IRType type, IRExpr *x) {
    return x ? x : hs_no_bits(b, type);
}

/* ---- bit by bit ---- */

enum logic { AND, OR, XOR };

static IROp logic(enum logic which, IRType type) {
    static const IROp integer[3][4] = {{Iop_And8, Iop_And16, Iop_And32, Iop_And64},
                                       {Iop_Or8, Iop_Or16, Iop_Or32, Iop_Or64},
                                       {Iop_Xor8, Iop_Xor16, Iop_Xor32, Iop_Xor64}};
    static const IROp vector[3][2] = {
        {Iop_AndV128, Iop_AndV256}, {Iop_OrV128, Iop_OrV256}, {Iop_XorV128, Iop_XorV256}};
    switch (type) {
    case Ity_I8:
        return integer[which][0];
    case Ity_I16:
        return integer[which][1];
    case Ity_I32:
        return integer[which][2];
    case Ity_I64:
        return integer[which][3];
    case Ity_V128:
        return vector[which][0];
    case Ity_V256:
        return vector[which][1];
    default:
        VG_(tool_panic)("heapstory: logic of an unknown type");
    }
}

static IRExpr *combine(struct hs_superblock *b, enum logic which, IRType type, IRExpr *x,
                       IRExpr *y) {
    if (type == Ity_I1) {
        IRExpr *wide = combine(b, which, Ity_I64, hs_unop(b, Iop_1Uto64, Ity_I64, x),
                               hs_unop(b, Iop_1Uto64, Ity_I64, y));
        return hs_unop(b, Iop_64to1, Ity_I1, wide);
    }
    if (type == Ity_I128) {
        IRExpr *xs[HS_WORDS], *ys[HS_WORDS];
        hs_bits_words(b, type, x, xs);
        hs_bits_words(b, type, y, ys);
        for (UInt i = 0; i < 2; i++)
            xs[i] = combine(b, which, Ity_I64, xs[i], ys[i]);
        return hs_bits_from_words(b, type, xs);
    }
    return hs_temp(b, type, IRExpr_Binop(logic(which, type), x, y));
}

IRExpr *hs_bits_or(struct hs_superblock *b, IRType type, IRExpr *x, IRExpr *y) {
    if (!x || !y)
        return x ? x : y;
    if (x->tag == Iex_RdTmp && y->tag == Iex_RdTmp && x->Iex.RdTmp.tmp == y->Iex.RdTmp.tmp)
        return x;
    return combine(b, OR, type, x, y);
}

IRExpr *hs_bits_and(struct hs_superblock *b, IRType type, IRExpr *x, IRExpr *y) {
    return x && y ? combine(b, AND, type, x, y) : NULL;
}

IRExpr *hs_bits_xor(struct hs_superblock *b, IRType type, IRExpr *x, IRExpr *y) {
    return x && y ? combine(b, XOR, type, x, y) : x ? x : y;
}

IRExpr *hs_bits_not(struct hs_superblock *b, IRType type, IRExpr *x) {
    switch (type) {
    case Ity_I1:
        return hs_unop(b, Iop_Not1, type, x);
    case Ity_I8:
        return hs_unop(b, Iop_Not8, type, x);
    case Ity_I16:
        return hs_unop(b, Iop_Not16, type, x);
    case Ity_I32:
        return hs_unop(b, Iop_Not32, type, x);
    case Ity_I64:
        return hs_unop(b, Iop_Not64, type, x);
    case Ity_V128:
        return hs_unop(b, Iop_NotV128, type, x);
    case Ity_V256:
        return hs_unop(b, Iop_NotV256, type, x);
    default:
        VG_(tool_panic)("heapstory: not of an unknown type");
    }
}

/* ---- all or nothing ---- */

IRExpr *hs_any_bit(struct hs_superblock *b, IRType type, IRExpr *x) {
    IRExpr *word[HS_WORDS], *all = NULL;
    UInt n;
    if (!x || type == Ity_I1)
        return x;
    n = hs_bits_words(b, type, x, word);
    for (UInt i = 0; i < n; i++)
        all = hs_bits_or(b, Ity_I64, all, word[i]);
    return hs_test(b, Iop_CmpNE64, all, hs_const(0));
}

IRExpr *hs_bits_spread(struct hs_superblock *b, IRExpr *any, IRType to) {
    IRExpr *word[HS_WORDS];
    if (!any || to == Ity_I1)
        return any;
    switch (to) {
    case Ity_I8:
        return hs_unop(b, Iop_1Sto8, to, any);
    case Ity_I16:
        return hs_unop(b, Iop_1Sto16, to, any);
    case Ity_I32:
        return hs_unop(b, Iop_1Sto32, to, any);
    case Ity_I64:
        return hs_unop(b, Iop_1Sto64, to, any);
    default:
        for (UInt i = 0; i < HS_WORDS; i++)
            word[i] = i ? word[0] : hs_unop(b, Iop_1Sto64, Ity_I64, any);
        return hs_bits_from_words(b, to, word);
    }
}

IRExpr *hs_bits_cast(struct hs_superblock *b, IRType from, IRType to, IRExpr *x) {
    return x ? hs_bits_spread(b, hs_any_bit(b, from, x), to) : NULL;
}

/* Lanes of an operation that compares each with 0, as all ones or none. */
static IROp lanes_not_zero(IRType type, UInt lane) {
    switch (type) {
    case Ity_I64:
        return lane == 8 ? Iop_CmpNEZ8x8 : lane == 16 ? Iop_CmpNEZ16x4 : Iop_CmpNEZ32x2;
    case Ity_V128:
        return lane == 8    ? Iop_CmpNEZ8x16
               : lane == 16 ? Iop_CmpNEZ16x8
               : lane == 32 ? Iop_CmpNEZ32x4
                            : Iop_CmpNEZ64x2;
    default:
        return lane == 8    ? Iop_CmpNEZ8x32
               : lane == 16 ? Iop_CmpNEZ16x16
               : lane == 32 ? Iop_CmpNEZ32x8
                            : Iop_CmpNEZ64x4;
    }
}

IRExpr *hs_lanes_cast(struct hs_superblock *b, IRType type, UInt lane, IRExpr *x) {
    if (!x)
        return NULL;
    if (lane >= 128 || (type == Ity_I64 && lane == 64) ||
        (type != Ity_I64 && type != Ity_V128 && type != Ity_V256))
        return hs_bits_cast(b, type, type, x);
    return hs_unop(b, lanes_not_zero(type, lane), type, x);
}

/* ---- words ---- */

IRExpr *hs_as_integer(struct hs_superblock *b, IRExpr *value) {
    switch (typeOfIRExpr(b->out->tyenv, value)) {
    case Ity_F64:
        return hs_unop(b, Iop_ReinterpF64asI64, Ity_I64, value);
    case Ity_F32:
        return hs_unop(b, Iop_ReinterpF32asI32, Ity_I32, value);
    default:
        return value;
    }
}

UInt hs_bits_words(struct hs_superblock *b, IRType type, IRExpr *bits, IRExpr *word[HS_WORDS]) {
    if (type == Ity_I1) {
        word[0] = hs_unop(b, Iop_1Uto64, Ity_I64, bits);
        return 1;
    }
    return hs_value_words(b, bits, word);
}

IRExpr *hs_bits_from_words(struct hs_superblock *b, IRType type, IRExpr *word[HS_WORDS]) {
    switch (type) {
    case Ity_I1:
        return hs_unop(b, Iop_64to1, type, word[0]);
    case Ity_I8:
        return hs_unop(b, Iop_64to8, type, word[0]);
    case Ity_I16:
        return hs_unop(b, Iop_64to16, type, word[0]);
    case Ity_I32:
        return hs_unop(b, Iop_64to32, type, word[0]);
    case Ity_I64:
        return word[0];
    case Ity_I128:
        return hs_temp(b, type, IRExpr_Binop(Iop_64HLto128, word[1], word[0]));
    case Ity_V128:
        return hs_temp(b, type, IRExpr_Binop(Iop_64HLtoV128, word[1], word[0]));
    case Ity_V256:
        return hs_temp(b, type, IRExpr_Qop(Iop_64x4toV256, word[3], word[2], word[1], word[0]));
    default:
        VG_(tool_panic)("heapstory: words of an unknown type");
    }
}
