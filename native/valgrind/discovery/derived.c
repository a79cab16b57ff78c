/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mode internals: addresses that are computed in one superblock and stored through in a later one.
 * An allocator computes where the chunk that it joins ends, decides what to do, and writes there.
 *
 * Of a sum with an index that goes into a register, the value and the pointer it was computed from
 * are kept in the thread's second shadow state. A store through a register that still has that
 * value is an access from that pointer. A pointer that is added to in place steps on, and is none.
 */
#include "discovery/pass.h"

static Bool is_register(Int offset) {
    return offset >= HS_OFFSET_RAX && offset <= HS_OFFSET_R15 && offset % 8 == 0;
}

/* The register that a value was in when the superblock began, -1 if in none. */
static Int register_of(const IRExpr *e) {
    const IRExpr *d = hs_definition(e);
    Bool is = d && d->tag == Iex_Get && d->Iex.Get.ty == Ity_I64 && is_register(d->Iex.Get.offset);
    return is ? d->Iex.Get.offset : -1;
}

static Int base_slot(const struct hs_superblock *b, Int reg) {
    return hs_second_shadow(b, reg);
}

static Int value_slot(const struct hs_superblock *b, Int reg) {
    return hs_second_shadow(b, offsetof(VexGuestAMD64State, guest_YMM0) + reg - HS_OFFSET_RAX);
}

/* The pointer that the statement puts a sum of into a register, NULL if it does not. */
static IRExpr *derived_from(struct hs_superblock *b, const IRStmt *s) {
    const IRExpr *d;
    struct hs_sum sum;
    if (hs_mode != HSW_INTERNALS || s->tag != Ist_Put || !is_register(s->Ist.Put.offset))
        return NULL;
    d = hs_definition(s->Ist.Put.data);
    if (!d || d->tag != Iex_Binop)
        return NULL;
    sum = hs_sum_of(b, s->Ist.Put.data);
    if (sum.skip || sum.n == 0 || (sum.n == 1 && !sum.indexed) ||
        register_of(sum.leaf[0]) == s->Ist.Put.offset)
        return NULL;
    return sum.leaf[0];
}

Bool hs_derives(struct hs_superblock *b) {
    for (Int i = 0; i < b->in->stmts_used; i++)
        if (derived_from(b, b->in->stmts[i]))
            return True;
    return False;
}

void hs_note_derived(struct hs_superblock *b, const IRStmt *s) {
    IRExpr *base = derived_from(b, s);
    if (!base)
        return;
    hs_stmt(b, IRStmt_Put(base_slot(b, s->Ist.Put.offset), base));
    hs_stmt(b, IRStmt_Put(value_slot(b, s->Ist.Put.offset), s->Ist.Put.data));
}

Bool hs_may_be_derived(const IRExpr *leaf) {
    return hs_mode == HSW_INTERNALS && register_of(leaf) >= 0;
}

IRExpr *hs_derived_base(struct hs_superblock *b, IRExpr *leaf) {
    Int reg = register_of(leaf);
    IRExpr *base = hs_get(b, base_slot(b, reg)), *value = hs_get(b, value_slot(b, reg));
    IRExpr *same = hs_test(b, Iop_CmpEQ64, leaf, value);
    return hs_temp(b, Ity_I64, IRExpr_ITE(same, base, hs_const(0)));
}
