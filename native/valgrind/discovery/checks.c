/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The generated check that an access stays in its pointer's node, and what runs when it fails. */
#include "discovery/pass.h"

#define MAX_USELESS 2000

/* ---- when a check fails ---- */

/* Another number when something was learnt: a record was sent, or a node was touched. */
static ULong lesson(void) {
    return hs_ring->cursor + hs_touches;
}

/* Whether anything was learnt since; else the check may be switched off some day. */
static void judge(struct hs_check *check, ULong before) {
    if (lesson() != before || ++check->useless < MAX_USELESS)
        return;
    check->useless = 0;
    hs_check_is_useless(check);
}

static void learn_constant(Addr leaf, struct hs_check *check) {
    ULong before = lesson();
    for (UInt i = 0; i < check->n; i++) {
        struct hs_access *access = &check->access[i];
        hs_learn_access(leaf, leaf + access->offset, access->size, access);
    }
    judge(check, before);
}

static Bool owned(Addr address) {
    return hs_is_heap(address) && !(hs_owner[address >> 3] & HS_NOBODY);
}

static void learn_indexed(Addr address, Addr leaf, Addr other, struct hs_check *check) {
    ULong before = lesson();
    Addr base = owned(other) && !owned(leaf) ? other : leaf;
    hs_learn_access(base, address, check->access[0].size, &check->access[0]);
    judge(check, before);
}

static void learn_derived(Addr address, Addr base, struct hs_check *check) {
    ULong before = lesson();
    struct hs_access *access = &check->access[0];
    if (owned(address) && owned(base))
        hs_learn_access(base, address, access->size, access);
    if (lesson() == before && ++check->useless == MAX_USELESS)
        hs_derived_is_useless(check);
}

/* ---- inserting ---- */

static IRExpr *reach_at(struct hs_superblock *b, IRExpr *address) {
    return hs_map_byte(b, hs_get_shadow(b, HS_SHADOW_REACH), address);
}

/* Words a span covers, its first byte being the first of a word. */
static UInt words_spanned(const struct hs_plan *plan) {
    return (plan->high - plan->low + 7) / 8;
}

static void insert_constant(struct hs_superblock *b, const struct hs_plan *plan) {
    IRExpr *lowest = hs_add(b, plan->leaf[0], (Long)plan->low), *reach, *guard;
    UInt words = words_spanned(plan);
    if (!plan->whole && plan->high - plan->low > 8) {
        /* The leaf may lie inside a word: count in bytes. */
        IRExpr *inside = hs_binop(b, Iop_And64, lowest, hs_const(7));
        reach = reach_at(b, lowest);
        reach = hs_shift(b, Iop_Shl64, reach, 3);
        reach = hs_binop(b, Iop_Add64, reach, inside);
        guard = hs_test(b, Iop_CmpLT64U, hs_const(HS_MAX_SPAN - (plan->high - plan->low)), reach);
    } else {
        if (words == 1 && plan->low == 0 && plan->check->n == 1) /* the very word that counts */
            lowest = hs_add(b, plan->leaf[0], plan->check->access[0].offset);
        reach = reach_at(b, lowest);
        guard = hs_test(b, Iop_CmpLT64U, hs_const(HS_REACH - words), reach);
    }
    hs_call_if(b, guard, "hs_learn_constant", learn_constant,
               mkIRExprVec_2(plan->leaf[0], hs_const((ULong)plan->check)));
}

static IRExpr *without_nobody(struct hs_superblock *b, IRExpr *owner) {
    return hs_temp(b, Ity_I32,
                   IRExpr_Binop(Iop_And32, owner, IRExpr_Const(IRConst_U32(~HS_NOBODY))));
}

static void insert_indexed(struct hs_superblock *b, const struct hs_plan *plan) {
    UInt size = plan->check->access[0].size;
    IRExpr *last = hs_add(b, plan->address, size > 8 ? size - 1 : 0);
    IRExpr *mine = hs_owner_at(b, last), *theirs = hs_owner_at(b, plan->leaf[0]), *guard, *none;
    for (UInt i = 1; i < plan->n_leaves; i++)
        theirs = hs_temp(b, Ity_I32, IRExpr_Binop(Iop_Or32, theirs, hs_owner_at(b, plan->leaf[i])));
    theirs = without_nobody(b, theirs);
    /* Where no leaf is in the heap, or in somebody's, only an owner is asked for. */
    none = hs_test(b, Iop_CmpEQ32, theirs, IRExpr_Const(IRConst_U32(0)));
    theirs = hs_temp(b, Ity_I32, IRExpr_ITE(none, without_nobody(b, mine), theirs));
    guard = hs_test(b, Iop_CmpNE32, mine, theirs);
    hs_call_if(b, guard, "hs_learn_indexed", learn_indexed,
               mkIRExprVec_4(plan->address, plan->leaf[0],
                             plan->n_leaves > 1 ? plan->leaf[1] : plan->leaf[0],
                             hs_const((ULong)plan->check)));
}

static void insert_derived(struct hs_superblock *b, const struct hs_plan *plan) {
    IRExpr *base = hs_derived_base(b, plan->leaf[0]), *mine = hs_owner_at(b, plan->address), *none;
    IRExpr *theirs = without_nobody(b, hs_owner_at(b, base));
    none = hs_test(b, Iop_CmpEQ32, theirs, IRExpr_Const(IRConst_U32(0)));
    theirs = hs_temp(b, Ity_I32, IRExpr_ITE(none, mine, theirs));
    hs_call_if(b, hs_test(b, Iop_CmpNE32, mine, theirs), "hs_learn_derived", learn_derived,
               mkIRExprVec_3(plan->address, base, hs_const((ULong)plan->check)));
}

void hs_insert_check(struct hs_superblock *b, const struct hs_plan *plan) {
    if (plan->derived)
        insert_derived(b, plan);
    else if (plan->address)
        insert_indexed(b, plan);
    else
        insert_constant(b, plan);
}
