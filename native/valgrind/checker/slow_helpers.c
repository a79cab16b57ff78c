/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Helpers of the simulated processor, in slow code: what they are given, in arguments, registers
 * and memory, and what they give. All of it is undefined as soon as anything that they are given
 * is.
 */
#include "checker/checker.h"
#include "checker/slow.h"

/* Any undefined bit of what a helper is given: arguments, registers, memory. */
static struct hs_value given_to_helper(struct hs_superblock *b, const IRDirty *details) {
    struct hs_value all = HS_NO_VALUE;
    for (UInt i = 0; details->args[i]; i++) {
        IRExpr *argument = details->args[i];
        struct hs_value each = hs_value_of(argument);
        if (is_IRExpr_VECRET_or_GSPTR(argument) || !each.undefined ||
            details->cee->mcx_mask >> i & 1)
            continue;
        each.undefined = hs_any_bit(b, hs_bits_type(hs_type_of(b, argument)), each.undefined);
        all.origin = hs_origin_of_both(b, Ity_I1, all, each);
        all.undefined = hs_bits_or(b, Ity_I1, all.undefined, each.undefined);
    }
    return all;
}

/* Calls `each` for every 8 bytes of the guest state that the helper reads, or writes. */
static struct hs_value helper_state(struct hs_superblock *b, const IRDirty *details, Bool writing,
                                    struct hs_value all) {
    for (Int i = 0; i < details->nFxState; i++) {
        Bool wanted =
            writing ? details->fxState[i].fx != Ifx_Read : details->fxState[i].fx != Ifx_Write;
        for (Int r = 0; wanted && r <= details->fxState[i].nRepeats; r++) {
            Int start = details->fxState[i].offset + r * details->fxState[i].repeatLen;
            Int end = start + details->fxState[i].size;
            for (Int at = start; at < end; at += 8) {
                IRType type = end - at >= 8 ? Ity_I64 : Ity_I32;
                struct hs_value each;
                if (end - at < 4)
                    break;
                if (writing) {
                    each.undefined = hs_bits_spread(b, all.undefined, type);
                    each.origin = all.origin;
                    hs_put_value(b, at, type, each);
                    continue;
                }
                each = hs_get_value(b, at, type);
                each.undefined = hs_any_bit(b, type, each.undefined);
                all.origin = hs_origin_of_both(b, Ity_I1, all, each);
                all.undefined = hs_bits_or(b, Ity_I1, all.undefined, each.undefined);
            }
        }
    }
    return all;
}

static ULong memory_is_undefined(Addr address, Addr instruction, ULong what) {
    hs_check_access(address, instruction, what);
    return hs_find_state(address, what >> 2, HS_ANY_OF(HS_FRESH) | HS_ANY_OF(HS_KEPT)) !=
           address + (what >> 2);
}

static void helper_wrote(Addr address, ULong size, ULong undefined, ULong origin) {
    if (undefined)
        hs_fill_undefined(address, size, 0xFF, origin);
    else
        hs_fill_defined(address, size);
}

/* What a call is given is undefined: so is all that it gives. */
static struct hs_value dirty;

void hs_before_helper(struct hs_superblock *b, const IRDirty *details) {
    dirty = HS_NO_VALUE;
    hs_check_atom(b, HSW_UNDEFINED_CONDITION, details->guard);
    dirty = helper_state(b, details, False, given_to_helper(b, details));
    if (details->mFx == Ifx_None)
        return;
    hs_check_atom(b, HSW_UNDEFINED_ADDRESS, details->mAddr);
    if (details->mFx == Ifx_Write) {
        hs_call_if(b, details->guard, "hs_check_access", hs_check_access,
                   mkIRExprVec_3(details->mAddr, hs_const(b->instruction),
                                 hs_const(HS_ACCESS(details->mSize, True, b->own))));
    } else {
        struct hs_value each;
        each.undefined = hs_unop(
            b, Iop_64to1, Ity_I1,
            hs_call_for(b, details->guard, "hs_memory_is_undefined", memory_is_undefined,
                        mkIRExprVec_3(details->mAddr, hs_const(b->instruction),
                                      hs_const(HS_ACCESS(details->mSize, details->mFx == Ifx_Modify,
                                                         b->own)))));
        each.origin = hs_call_for(
            b, details->guard, "hs_origin_of", hs_origin_of,
            mkIRExprVec_3(details->mAddr, hs_const(details->mSize), hs_const(b->instruction)));
        dirty.origin = hs_origin_of_both(b, Ity_I1, dirty, each);
        dirty.undefined = hs_bits_or(b, Ity_I1, dirty.undefined, each.undefined);
    }
}

void hs_after_helper(struct hs_superblock *b, const IRDirty *details) {
    helper_state(b, details, True, dirty);
    if (details->tmp != IRTemp_INVALID) {
        IRType type = hs_bits_type(typeOfIRTemp(b->out->tyenv, details->tmp));
        hs_set_value(details->tmp,
                     (struct hs_value){hs_bits_spread(b, dirty.undefined, type), dirty.origin});
    }
    if (details->mFx == Ifx_Write || details->mFx == Ifx_Modify) {
        IRExpr *any =
            dirty.undefined ? hs_unop(b, Iop_1Uto64, Ity_I64, dirty.undefined) : hs_const(0);
        hs_call_if(b, details->guard, "hs_helper_wrote_values", helper_wrote,
                   mkIRExprVec_4(details->mAddr, hs_const(details->mSize), any,
                                 dirty.undefined ? dirty.origin : hs_const(0)));
    }
}
