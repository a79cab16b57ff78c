/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values as slow code follows them: the undefined bits of temporaries, of memory and of registers,
 * and where they came from.
 */
#include "checker/slow.h"

#include "checker/checker.h"
#include "checker/fragments.h"

/* Per temporary of the original superblock; NULL: none. */
static struct hs_value *values;
static Int n_values;
static ULong written; /* groups of registers, since the superblock began */

IRType hs_type_of(struct hs_superblock *b, const IRExpr *e) {
    return typeOfIRExpr(b->out->tyenv, e);
}

struct hs_value hs_value_of(const IRExpr *atom) {
    return atom->tag == Iex_RdTmp && (Int)atom->Iex.RdTmp.tmp < n_values
               ? values[atom->Iex.RdTmp.tmp]
               : HS_NO_VALUE;
}

void hs_set_value(IRTemp temp, struct hs_value value) {
    if (temp != IRTemp_INVALID)
        values[temp] = value;
}

/* The origin of the first that has undefined bits. */
IRExpr *hs_origin_of_both(struct hs_superblock *b, IRType type, struct hs_value x,
                          struct hs_value y) {
    if (!x.undefined || !y.undefined)
        return x.undefined ? x.origin : y.origin;
    return hs_temp(b, Ity_I64, IRExpr_ITE(hs_any_bit(b, type, x.undefined), x.origin, y.origin));
}

/* ---- telling ---- */

static void depends(Addr instruction, ULong kind, ULong origin, ULong own) {
    hs_tell_undefined((UInt)kind, (UInt)origin, instruction, (Bool)own, 0);
}

void hs_tell_value(struct hs_superblock *b, UInt kind, IRType type, struct hs_value value) {
    if (value.undefined)
        hs_call_if(b, hs_any_bit(b, type, value.undefined), "hs_depends", depends,
                   mkIRExprVec_4(hs_const(b->instruction), hs_const(kind), value.origin,
                                 hs_const(b->own)));
}

void hs_check_atom(struct hs_superblock *b, UInt kind, const IRExpr *atom) {
    hs_tell_value(b, kind, hs_bits_type(hs_type_of(b, atom)), hs_value_of(atom));
    if (atom->tag == Iex_RdTmp && (Int)atom->Iex.RdTmp.tmp < n_values)
        values[atom->Iex.RdTmp.tmp] = HS_NO_VALUE;
}

/* ---- memory ---- */

IRExpr *hs_call_for(struct hs_superblock *b, IRExpr *guard, const HChar *name, void *function,
                    IRExpr **arguments) {
    IRTemp result = newIRTemp(b->out->tyenv, Ity_I64);
    IRDirty *call = unsafeIRDirty_1_N(result, 0, name, VG_(fnptr_to_fnentry)(function), arguments);
    call->guard = guard;
    hs_call_helper(b, call);
    return hs_temp(b, Ity_I64, IRExpr_ITE(guard, IRExpr_RdTmp(result), hs_const(0)));
}

IRExpr *hs_always(void) {
    return IRExpr_Const(IRConst_U1(True));
}

struct hs_value hs_value_loaded(struct hs_superblock *b, IRExpr *address, IRType type,
                                IRExpr *guard, Bool is_swap) {
    UInt size = sizeofIRType(type);
    IRExpr *closer, *word[HS_WORDS], *what = hs_const(HS_ACCESS(size, is_swap, b->own));
    struct hs_value value;
    hs_check_atom(b, HSW_UNDEFINED_ADDRESS, address);
    if (guard) /* an access that does not happen may have any address */
        address = hs_temp(b, Ity_I64, IRExpr_ITE(guard, address, hs_const(0)));
    closer = hs_load_needs_look(b, address, size, False);
    if (guard)
        closer = hs_both(b, closer, guard);
    if (size <= 8)
        word[0] = hs_call_for(b, closer, "hs_load_undefined", hs_load_undefined,
                              mkIRExprVec_3(address, hs_const(b->instruction), what));
    else {
        hs_call_if(b, closer, "hs_check_access", hs_check_access,
                   mkIRExprVec_3(address, hs_const(b->instruction), what));
        for (UInt i = 0; i < size / 8; i++)
            word[i] = hs_call_for(b, closer, "hs_undefined_at", hs_undefined_at,
                                  mkIRExprVec_2(hs_add(b, address, 8 * i), hs_const(8)));
    }
    value.undefined = hs_bits_from_words(b, hs_bits_type(type), word);
    value.origin = hs_call_for(b, closer, "hs_origin_of", hs_origin_of,
                               mkIRExprVec_3(address, hs_const(size), hs_const(b->instruction)));
    return value;
}

void hs_store_value_if(struct hs_superblock *b, IRExpr *address, IRType type, struct hs_value value,
                       IRExpr *guard) {
    UInt size = sizeofIRType(type), n;
    IRType bits = hs_bits_type(type);
    IRExpr *word[HS_WORDS], *origin = value.undefined ? value.origin : hs_const(0);
    n = hs_bits_words(b, bits, hs_bits_or_none(b, bits, value.undefined), word);
    for (UInt i = 0; i < n; i++)
        hs_call_if(b, guard, "hs_set_undefined_at", hs_set_undefined_at,
                   mkIRExprVec_4(hs_add(b, address, 8 * i), hs_const(size > 8 ? 8 : size), word[i],
                                 origin));
}

/* The states change before the store, if it happens. */
void hs_store_value(struct hs_superblock *b, IRExpr *address, IRType type, struct hs_value value,
                    IRExpr *guard) {
    ULong what = HS_ACCESS(sizeofIRType(type), True, b->own);
    if (!guard)
        guard = hs_always();
    hs_call_if(b, guard, "hs_check_access", hs_check_access,
               mkIRExprVec_3(address, hs_const(b->instruction), hs_const(what)));
    hs_store_value_if(b, address, type, value, guard);
}

/* ---- registers ---- */

static Int origin_slot(struct hs_superblock *b, Int offset) {
    return hs_second_shadow(b, offset & ~7);
}

struct hs_value hs_get_value(struct hs_superblock *b, Int offset, IRType type) {
    IRType bits = hs_bits_type(type);
    Int size = sizeofIRType(type);
    struct hs_value value;
    IRExpr *word[HS_WORDS];
    UInt n;
    if (hs_is_always_defined(offset, size))
        return HS_NO_VALUE;
    value.undefined = hs_temp(b, bits, IRExpr_Get(b->guest_size + offset, bits));
    n = hs_bits_words(b, bits, value.undefined, word);
    value.origin = NULL;
    for (UInt i = n; i-- > 0;) {
        IRExpr *origin =
            hs_unop(b, Iop_32Uto64, Ity_I64,
                    hs_temp(b, Ity_I32, IRExpr_Get(origin_slot(b, offset + 8 * (Int)i), Ity_I32)));
        value.origin =
            value.origin
                ? hs_temp(b, Ity_I64,
                          IRExpr_ITE(hs_any_bit(b, Ity_I64, word[i]), origin, value.origin))
                : origin;
    }
    return value;
}

static void writes(Int offset, Int size) {
    for (Int i = 0; i < size; i += 8) {
        Int group = hs_group_of(offset + i);
        if (group >= 0)
            written |= 1ull << group;
    }
}

void hs_put_value(struct hs_superblock *b, Int offset, IRType type, struct hs_value value) {
    Int size = sizeofIRType(type);
    IRType bits = hs_bits_type(type);
    IRExpr *origin;
    if (hs_is_always_defined(offset, size))
        return;
    writes(offset, size);
    hs_stmt(b, IRStmt_Put(b->guest_size + offset, hs_bits_or_none(b, bits, value.undefined)));
    if (!value.undefined)
        return;
    origin = hs_unop(b, Iop_64to32, Ity_I32, value.origin);
    for (Int i = 0; i < size; i += 8)
        hs_stmt(b, IRStmt_Put(origin_slot(b, offset + i), origin));
}

/* Arrays of registers (x87), at the same place of each shadow state. */
static IRRegArray *shadow_of(const IRRegArray *array, Int state_offset, IRType type) {
    return mkIRRegArray(array->base + state_offset, type, array->nElems);
}

static Bool is_shadowed(const IRRegArray *array) {
    return !hs_is_always_defined(array->base, sizeofIRType(array->elemTy) * array->nElems);
}

struct hs_value hs_get_indexed(struct hs_superblock *b, const IRExpr *e) {
    IRRegArray *array = e->Iex.GetI.descr;
    IRType bits = hs_bits_type(array->elemTy);
    struct hs_value value;
    if (!is_shadowed(array))
        return HS_NO_VALUE;
    value.undefined = hs_temp(
        b, bits,
        IRExpr_GetI(shadow_of(array, b->guest_size, bits), e->Iex.GetI.ix, e->Iex.GetI.bias));
    value.origin = hs_temp(b, Ity_I64,
                           IRExpr_GetI(shadow_of(array, 2 * b->guest_size, Ity_I64), e->Iex.GetI.ix,
                                       e->Iex.GetI.bias));
    return value;
}

void hs_put_indexed(struct hs_superblock *b, const IRPutI *details) {
    IRRegArray *array = details->descr;
    IRType bits = hs_bits_type(array->elemTy);
    struct hs_value value = hs_value_of(details->data);
    if (!is_shadowed(array))
        return;
    writes(array->base, sizeofIRType(array->elemTy) * array->nElems);
    hs_stmt(b, IRStmt_PutI(mkIRPutI(shadow_of(array, b->guest_size, bits), details->ix,
                                    details->bias, hs_bits_or_none(b, bits, value.undefined))));
    if (value.undefined)
        hs_stmt(b, IRStmt_PutI(mkIRPutI(shadow_of(array, 2 * b->guest_size, Ity_I64), details->ix,
                                        details->bias, value.origin)));
}

/* ---- a superblock ---- */

void hs_values_begin(struct hs_superblock *b) {
    n_values = b->in->tyenv->types_used;
    values = VG_(calloc)("hs.values", n_values + 1, sizeof *values);
    written = 0;
}

ULong hs_groups_written(void) {
    return written;
}

void hs_values_end(void) {
    VG_(free)(values);
    values = NULL;
}
