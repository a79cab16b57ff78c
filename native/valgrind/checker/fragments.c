/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looking at the states of memory by generated code. Accesses of four bytes and more are expected
 * to be aligned to four, so that their states are whole bytes of the shadow.
 */
#include "checker/fragments.h"

#include "checker/checker.h"
#include "checker/stack.h"
#include "checker/values.h"

static IRExpr *shadow_address(struct hs_superblock *b, IRExpr *address) {
    return hs_binop(b, Iop_Add64, hs_shift(b, Iop_Shr64, address, 2),
                    hs_get_shadow(b, HS_SHADOW_STATES));
}

/* The type of as many states as an access has, aligned. */
static IRType states_type(UInt size) {
    return size <= 4 ? Ity_I8 : size == 8 ? Ity_I16 : size == 16 ? Ity_I32 : Ity_I64;
}

static IRExpr *load_as_word(struct hs_superblock *b, IRType type, IRExpr *at) {
    IRExpr *e = hs_temp(b, type, IRExpr_Load(Iend_LE, type, at));
    switch (type) {
    case Ity_I8:
        return hs_unop(b, Iop_8Uto64, Ity_I64, e);
    case Ity_I16:
        return hs_unop(b, Iop_16Uto64, Ity_I64, e);
    case Ity_I32:
        return hs_unop(b, Iop_32Uto64, Ity_I64, e);
    default:
        return e;
    }
}

/* By how many bits the states of an address are shifted in their byte. */
static IRExpr *shift_of(struct hs_superblock *b, IRExpr *address) {
    IRExpr *low = hs_binop(b, Iop_And64, address, hs_const(3));
    return hs_unop(b, Iop_64to8, Ity_I8, hs_binop(b, Iop_Add64, low, low));
}

/* Not 0: a state has one of the bits in `each`, or the access is not aligned. */
static IRExpr *states(struct hs_superblock *b, IRExpr *address, UInt size, ULong each,
                      Bool aligned) {
    IRExpr *at = shadow_address(b, address), *word, *unaligned;
    ULong all = each * 0x5555555555555555ull;
    if (size < 4) {
        word = load_as_word(b, size == 1 ? Ity_I8 : Ity_I16, at);
        word = hs_binop(b, Iop_Shr64, word, shift_of(b, address));
        return hs_binop(b, Iop_And64, word, hs_const(all & ((1u << 2 * size) - 1)));
    }
    word = load_as_word(b, states_type(size), at);
    if (each != 3)
        word = hs_binop(b, Iop_And64, word,
                        hs_const(size >= 32 ? all : all & ((1ull << 2 * size) - 1)));
    if (aligned)
        return word;
    unaligned = hs_binop(b, Iop_And64, address, hs_const(3));
    return hs_binop(b, Iop_Or64, word, unaligned);
}

IRExpr *hs_load_needs_look(struct hs_superblock *b, IRExpr *address, UInt size, Bool aligned) {
    return hs_test(b, Iop_CmpNE64, states(b, address, size, 3, aligned), hs_const(0));
}

IRExpr *hs_store_needs_look(struct hs_superblock *b, IRExpr *address, UInt size, Bool aligned) {
    return hs_test(b, Iop_CmpNE64, states(b, address, size, 2, aligned), hs_const(0));
}

IRExpr *hs_loads_need_look(struct hs_superblock *b, IRExpr *address, struct hs_span span,
                           Bool aligned) {
    Long bytes = span.high - span.low;
    IRType type = states_type(bytes <= 4 ? 4 : bytes <= 8 ? 8 : bytes <= 16 ? 16 : 32);
    IRExpr *at = hs_add(b, shadow_address(b, address), (ULong)(span.low / 4));
    IRExpr *word = load_as_word(b, type, at);
    if (span.states != (bytes == 32 ? ~0ull : (1ull << 2 * bytes) - 1) ||
        bytes != 4 * (Long)sizeofIRType(type))
        word = hs_binop(b, Iop_And64, word, hs_const(span.states));
    if (!aligned)
        word = hs_binop(b, Iop_Or64, word, hs_binop(b, Iop_And64, address, hs_const(3)));
    return hs_test(b, Iop_CmpNE64, word, hs_const(0));
}

static IRExpr *zero(IRType type) {
    return type == Ity_I8    ? IRExpr_Const(IRConst_U8(0))
           : type == Ity_I16 ? IRExpr_Const(IRConst_U16(0))
           : type == Ity_I32 ? IRExpr_Const(IRConst_U32(0))
                             : hs_const(0);
}

void hs_make_stored_defined(struct hs_superblock *b, IRExpr *address, UInt size) {
    IRExpr *at = shadow_address(b, address), *mask, *word;
    IRType type = size == 2 ? Ity_I16 : states_type(size);
    if (size >= 4) {
        hs_stmt(b, IRStmt_Store(Iend_LE, at, zero(type)));
        return;
    }
    mask = hs_binop(b, Iop_Shl64, hs_const((1u << 2 * size) - 1), shift_of(b, address));
    word = hs_binop(b, Iop_And64, load_as_word(b, type, at), hs_unop(b, Iop_Not64, Ity_I64, mask));
    word = size == 1 ? hs_unop(b, Iop_64to8, Ity_I8, word) : hs_unop(b, Iop_64to16, Ity_I16, word);
    hs_stmt(b, IRStmt_Store(Iend_LE, at, word));
}

IRExpr *hs_both(struct hs_superblock *b, IRExpr *x, IRExpr *y) {
    IRExpr *wide = hs_binop(b, Iop_And64, hs_unop(b, Iop_1Uto64, Ity_I64, x),
                            hs_unop(b, Iop_1Uto64, Ity_I64, y));
    return hs_test(b, Iop_CmpNE64, wide, hs_const(0));
}

void hs_tell_groups(struct hs_superblock *b, ULong groups, IRExpr *guard) {
    IRDirty *call;
    if (!groups)
        return;
    call = unsafeIRDirty_0_N(0, "hs_update_groups", VG_(fnptr_to_fnentry)(hs_update_groups),
                             mkIRExprVec_2(IRExpr_GSPTR(), hs_const(groups)));
    if (guard)
        call->guard = guard;
    call->nFxState = 2;
    VG_(memset)(call->fxState, 0, sizeof call->fxState);
    call->fxState[0].fx = Ifx_Read;
    call->fxState[0].offset = b->guest_size;
    call->fxState[0].size = b->guest_size;
    call->fxState[1].fx = Ifx_Modify;
    call->fxState[1].offset = hs_second_shadow(b, HS_SHADOW_UNDEFINED);
    call->fxState[1].size = 8;
    hs_stmt(b, IRStmt_Dirty(call));
}

/* ---- the stack pointer ---- */

void hs_stack_changes(struct hs_superblock *b, IRExpr *after, enum hs_stack_change change) {
    IRExpr *before = hs_get(b, HS_OFFSET_RSP), *now = IRExpr_Const(IRConst_U1(True));
    if (change == HS_BY_CONSTANT)
        hs_call_if(b, now, "hs_stack_moved", hs_stack_moved, mkIRExprVec_2(before, after));
    else if (change == HS_BY_VALUE)
        hs_call_if(b, now, "hs_stack_rounded", hs_stack_rounded, mkIRExprVec_2(before, after));
    else
        hs_call_if(b, now, "hs_stack_set", hs_stack_set,
                   mkIRExprVec_3(before, after, hs_const(change == HS_FROM_FRAME)));
}
