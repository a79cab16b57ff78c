/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Modes portable and internals: which pointer an address was computed from, and the inline check
 * that the access stays in that pointer's node.
 *
 * An address is a sum (sums.c). All accesses at constant distances from one leaf, between two exits
 * of the superblock, are one check.
 *
 * Not checked: what is computed from the stack pointer or the thread pointer; loads wider than a
 * word, with which libraries read past the end of strings; conditional loads and stores; links of
 * free lists (free_lists.c); statements whose checks failed often and taught nothing.
 */
#include "discovery/nodes.h"
#include "walk/ir.h"

extern void VG_(discard_translations)(Addr, ULong, const HChar *);

#define MAX_SPAN (8 * HS_REACH)
#define MAX_USELESS 2000

/* What a check is about; lives as long as generated code may name it. */
struct check {
    UInt n, room;
    UInt useless; /* how often it failed in vain */
    struct hs_access access[];
};

/* A check to be inserted before a statement. */
struct plan {
    Int statement;
    UInt n_leaves;
    IRExpr *leaf[HS_LEAVES];
    IRExpr *address; /* NULL: constant distances, `check` says which */
    Int low, high;   /* of the distances, the leaf included */
    Bool whole;      /* some access is a whole word: the leaf is aligned */
    Bool open;       /* no exit since */
    Bool derived;    /* the leaf may have been computed from a pointer before (derived.c) */
    struct check *check;
};

struct hs_bases {
    struct plan *plans;
    UInt n, room;
};

/* Instructions whose checks failed often in vain. First only the address is looked at, as if it
 * came from nowhere, then nothing. */
static struct hs_addresses baseless, unchecked;
static struct hs_addresses underived; /* the same for pointers that were computed before */
static XArray *to_discard;            /* of Addr: instructions to translate anew */

/* ---- planning ---- */

static struct plan *new_plan(struct hs_bases *bases, Int statement) {
    struct plan *plan;
    if (bases->n == bases->room) {
        bases->room = bases->room ? 2 * bases->room : 16;
        bases->plans = VG_(realloc)("hs.plans", bases->plans, bases->room * sizeof *bases->plans);
    }
    plan = &bases->plans[bases->n++];
    VG_(memset)(plan, 0, sizeof *plan);
    plan->statement = statement;
    plan->open = True;
    return plan;
}

static void add_access(struct plan *plan, const struct hs_access *access) {
    struct check *check = plan->check;
    if (!check || check->n == check->room) {
        UInt room = check ? 2 * check->room : 1, n = check ? check->n : 0;
        check = VG_(realloc)("hs.check", check, sizeof *check + room * sizeof *access);
        check->n = n;
        check->room = room;
        check->useless = 0;
        plan->check = check;
    }
    check->access[check->n++] = *access;
}

/* By a leaf at a constant distance: joined to a check of the same leaf where there is one. */
static void plan_constant(struct hs_block_state *b, Int statement, IRExpr *leaf,
                          const struct hs_access *access) {
    Int low = access->offset < 0 ? access->offset : 0;
    Int high = access->offset + access->size > 0 ? access->offset + access->size : 1;
    struct plan *plan;
    for (UInt i = 0; i < b->bases->n; i++) {
        plan = &b->bases->plans[i];
        if (plan->address || plan->leaf[0]->Iex.RdTmp.tmp != leaf->Iex.RdTmp.tmp)
            continue;
        if (plan->low <= low && plan->high >= high && (plan->open || plan->high == high))
            low = plan->low, high = plan->high;
        else if (!plan->open)
            continue;
        low = plan->low < low ? plan->low : low;
        high = plan->high > high ? plan->high : high;
        if (high - low > MAX_SPAN)
            continue;
        plan->low = low;
        plan->high = high;
        plan->whole |= access->size >= 8 && access->offset % 8 == 0;
        if (plan->open)
            add_access(plan, access);
        return;
    }
    plan = new_plan(b->bases, statement);
    plan->leaf[0] = leaf;
    plan->n_leaves = 1;
    plan->low = low;
    plan->high = high;
    plan->whole = access->size >= 8 && access->offset % 8 == 0;
    add_access(plan, access);
}

static void plan_indexed(struct hs_block_state *b, Int statement, IRExpr *address,
                         const struct hs_sum *sum, struct hs_access *access) {
    struct plan *plan = new_plan(b->bases, statement);
    plan->address = address;
    plan->n_leaves = sum->n;
    for (UInt i = 0; i < sum->n; i++)
        plan->leaf[i] = sum->leaf[i];
    access->indexed = True;
    access->summed = sum->n > 1;
    add_access(plan, access);
}

/* What is written behind the end of a chunk is a word or two. */
static void plan_derived(struct hs_block_state *b, Int statement, IRExpr *address,
                         const struct hs_sum *sum, const struct hs_access *access) {
    struct plan *plan;
    if (!access->store || access->size != 8 || sum->n != 1 || sum->indexed || sum->constant < 0 ||
        sum->constant > 8 || !hs_may_be_derived(b, sum->leaf[0]) ||
        hs_addresses_have(&underived, access->instruction))
        return;
    plan = new_plan(b->bases, statement);
    plan->address = address;
    plan->leaf[0] = sum->leaf[0];
    plan->n_leaves = 1;
    plan->derived = True;
    add_access(plan, access);
}

static void plan_access(struct hs_block_state *b, Int statement, IRExpr *address, UInt size,
                        Bool store, Addr instruction) {
    struct hs_access access = {instruction, 0, 0, size, store, b->own, False, False};
    struct hs_sum sum;
    if (address->tag != Iex_RdTmp || (!store && size > 8))
        return;
    if (hs_addresses_have(&unchecked, instruction))
        return;
    sum = hs_sum_of(b, address);
    if (sum.skip || (sum.n == 0 && (sum.constant >= 65536 || sum.constant < 0)))
        return;
    plan_derived(b, statement, address, &sum, &access);
    if (sum.n == 0 || hs_addresses_have(&baseless, instruction))
        sum = (struct hs_sum){{address}, 1}; /* a pointer of its own */
    if (sum.n == 1 && !sum.indexed && sum.constant > -MAX_SPAN &&
        sum.constant + (Long)size < MAX_SPAN) {
        access.offset = sum.constant;
        plan_constant(b, statement, sum.leaf[0], &access);
    } else
        plan_indexed(b, statement, address, &sum, &access);
}

void hs_find_bases(struct hs_block_state *b, const IRSB *in) {
    Addr instruction = 0;
    b->bases = VG_(calloc)("hs.bases", 1, sizeof *b->bases);
    hs_find_definitions(b, in);
    hs_find_free_lists(b, in);
    hs_find_walks(b, in);
    for (Int i = 0; i < in->stmts_used; i++) {
        const IRStmt *s = in->stmts[i];
        if (hs_is_link(b, i))
            continue;
        switch (s->tag) {
        case Ist_IMark:
            instruction = s->Ist.IMark.addr;
            break;
        case Ist_WrTmp:
            if (s->Ist.WrTmp.data->tag == Iex_Load)
                plan_access(b, i, s->Ist.WrTmp.data->Iex.Load.addr,
                            sizeofIRType(s->Ist.WrTmp.data->Iex.Load.ty), False, instruction);
            break;
        case Ist_Store:
            plan_access(b, i, s->Ist.Store.addr,
                        sizeofIRType(typeOfIRExpr(in->tyenv, s->Ist.Store.data)), True,
                        instruction);
            break;
        case Ist_CAS:
            plan_access(b, i, s->Ist.CAS.details->addr,
                        sizeofIRType(typeOfIRExpr(in->tyenv, s->Ist.CAS.details->dataLo)), True,
                        instruction);
            break;
        case Ist_Exit:
            for (UInt k = 0; k < b->bases->n; k++)
                b->bases->plans[k].open = False;
            break;
        default:
            break;
        }
    }
}

void hs_forget_bases(struct hs_block_state *b) {
    if (!b->bases)
        return;
    VG_(free)(b->definition);
    VG_(free)(b->bases->plans);
    VG_(free)(b->bases);
}

Bool hs_has_bases(const struct hs_block_state *b) {
    return b->bases && b->bases->n;
}

/* ---- when a check fails ---- */

void hs_discard(Addr instruction) {
    if (!to_discard)
        to_discard = VG_(newXA)(VG_(malloc), "hs.discard", VG_(free), sizeof(Addr));
    VG_(addToXA)(to_discard, &instruction);
}

/* Whether anything was recorded since; else the check may be switched off some day. */
static void judge(struct check *check, ULong before) {
    if (hs_ring->cursor != before || ++check->useless < MAX_USELESS)
        return;
    check->useless = 0;
    hs_count(HSW_COUNTED_QUIET);
    for (UInt i = 0; i < check->n; i++) {
        Addr instruction = check->access[i].instruction;
        if (!hs_addresses_add(&baseless, instruction))
            hs_addresses_add(&unchecked, instruction);
        hs_discard(instruction);
    }
}

void hs_bases_poll(void) {
    for (Word i = 0; to_discard && i < VG_(sizeXA)(to_discard); i++)
        VG_(discard_translations)(*(Addr *)VG_(indexXA)(to_discard, i), 1, "heapstory: quiet");
    if (to_discard)
        VG_(deleteXA)(to_discard);
    to_discard = NULL;
}

static void learn_constant(Addr leaf, struct check *check) {
    ULong before = hs_ring->cursor;
    for (UInt i = 0; i < check->n; i++) {
        struct hs_access *access = &check->access[i];
        hs_learn_access(leaf, leaf + access->offset, access->size, access);
    }
    judge(check, before);
}

static Bool owned(Addr address) {
    return hs_is_heap(address) && !(hs_owner[address >> 3] & HS_NOBODY);
}

static void learn_indexed(Addr address, Addr leaf, Addr other, struct check *check) {
    ULong before = hs_ring->cursor;
    Addr base = owned(other) && !owned(leaf) ? other : leaf;
    hs_learn_access(base, address, check->access[0].size, &check->access[0]);
    judge(check, before);
}

static void learn_derived(Addr address, Addr base, struct check *check) {
    ULong before = hs_ring->cursor;
    struct hs_access *access = &check->access[0];
    if (owned(address) && owned(base))
        hs_learn_access(base, address, access->size, access);
    if (hs_ring->cursor == before && ++check->useless == MAX_USELESS &&
        hs_addresses_add(&underived, access->instruction)) {
        hs_count(HSW_COUNTED_QUIET);
        hs_discard(access->instruction);
    }
}

/* ---- inserting ---- */

/* The number of the word an address lies in; anything becomes a place in the maps. */
static IRExpr *word_of(struct hs_block_state *b, IRExpr *address) {
    IRExpr *low = hs_binop(b, Iop_Shl64, address, IRExpr_Const(IRConst_U8(64 - HS_HEAP_BITS)));
    return hs_binop(b, Iop_Shr64, low, IRExpr_Const(IRConst_U8(64 - HS_HEAP_BITS + 3)));
}

IRExpr *hs_map_byte(struct hs_block_state *b, IRExpr *map, IRExpr *address) {
    IRExpr *place = hs_binop(b, Iop_Add64, map, word_of(b, address));
    IRExpr *byte = hs_temp(b, Ity_I8, IRExpr_Load(Iend_LE, Ity_I8, place));
    return hs_temp(b, Ity_I64, IRExpr_Unop(Iop_8Uto64, byte));
}

static IRExpr *map_byte(struct hs_block_state *b, Int map, IRExpr *address) {
    return hs_map_byte(b, hs_get(b, b->shadow + map), address);
}

IRExpr *hs_owner_at(struct hs_block_state *b, IRExpr *address) {
    IRExpr *offset = hs_binop(b, Iop_Shl64, word_of(b, address), IRExpr_Const(IRConst_U8(2)));
    IRExpr *place = hs_binop(b, Iop_Add64, hs_get(b, b->shadow + HS_SHADOW_OWNER), offset);
    return hs_temp(b, Ity_I32, IRExpr_Load(Iend_LE, Ity_I32, place));
}

void hs_call_if(struct hs_block_state *b, IRExpr *guard, const HChar *name, void *function,
                IRExpr **arguments) {
    IRDirty *call = unsafeIRDirty_0_N(0, name, VG_(fnptr_to_fnentry)(function), arguments);
    call->guard = guard;
    hs_call_helper(b, call);
}

/* Words a span covers, its first byte being the first of a word. */
static UInt words_spanned(const struct plan *plan) {
    return (plan->high - plan->low + 7) / 8;
}

static void insert_constant(struct hs_block_state *b, const struct plan *plan) {
    IRExpr *lowest = hs_add(b, plan->leaf[0], (Long)plan->low), *reach, *guard;
    UInt words = words_spanned(plan);
    if (!plan->whole && plan->high - plan->low > 8) {
        /* The leaf may lie inside a word: count in bytes. */
        IRExpr *inside = hs_binop(b, Iop_And64, lowest, hs_const(7));
        reach = map_byte(b, HS_SHADOW_REACH, lowest);
        reach = hs_binop(b, Iop_Shl64, reach, IRExpr_Const(IRConst_U8(3)));
        reach = hs_binop(b, Iop_Add64, reach, inside);
        guard = hs_temp(
            b, Ity_I1,
            IRExpr_Binop(Iop_CmpLT64U, hs_const(MAX_SPAN - (plan->high - plan->low)), reach));
    } else {
        if (words == 1 && plan->low == 0 && plan->check->n == 1) /* the very word that counts */
            lowest = hs_add(b, plan->leaf[0], plan->check->access[0].offset);
        reach = map_byte(b, HS_SHADOW_REACH, lowest);
        guard = hs_temp(b, Ity_I1, IRExpr_Binop(Iop_CmpLT64U, hs_const(HS_REACH - words), reach));
    }
    hs_call_if(b, guard, "hs_learn_constant", learn_constant,
               mkIRExprVec_2(plan->leaf[0], hs_const((ULong)plan->check)));
}

static IRExpr *without_nobody(struct hs_block_state *b, IRExpr *owner) {
    return hs_temp(b, Ity_I32,
                   IRExpr_Binop(Iop_And32, owner, IRExpr_Const(IRConst_U32(~HS_NOBODY))));
}

static void insert_indexed(struct hs_block_state *b, const struct plan *plan) {
    UInt size = plan->check->access[0].size;
    IRExpr *last = hs_add(b, plan->address, size > 8 ? size - 1 : 0);
    IRExpr *mine = hs_owner_at(b, last), *theirs = hs_owner_at(b, plan->leaf[0]), *guard, *none;
    for (UInt i = 1; i < plan->n_leaves; i++)
        theirs = hs_temp(b, Ity_I32, IRExpr_Binop(Iop_Or32, theirs, hs_owner_at(b, plan->leaf[i])));
    theirs = without_nobody(b, theirs);
    /* Where no leaf is in the heap, or in somebody's, only an owner is asked for. */
    none = hs_temp(b, Ity_I1, IRExpr_Binop(Iop_CmpEQ32, theirs, IRExpr_Const(IRConst_U32(0))));
    theirs = hs_temp(b, Ity_I32, IRExpr_ITE(none, without_nobody(b, mine), theirs));
    guard = hs_temp(b, Ity_I1, IRExpr_Binop(Iop_CmpNE32, mine, theirs));
    hs_call_if(b, guard, "hs_learn_indexed", learn_indexed,
               mkIRExprVec_4(plan->address, plan->leaf[0],
                             plan->n_leaves > 1 ? plan->leaf[1] : plan->leaf[0],
                             hs_const((ULong)plan->check)));
}

static void insert_derived(struct hs_block_state *b, const struct plan *plan) {
    IRExpr *base = hs_derived_base(b, plan->leaf[0]), *mine = hs_owner_at(b, plan->address), *none;
    IRExpr *theirs = without_nobody(b, hs_owner_at(b, base));
    none = hs_temp(b, Ity_I1, IRExpr_Binop(Iop_CmpEQ32, theirs, IRExpr_Const(IRConst_U32(0))));
    theirs = hs_temp(b, Ity_I32, IRExpr_ITE(none, mine, theirs));
    hs_call_if(b, hs_temp(b, Ity_I1, IRExpr_Binop(Iop_CmpNE32, mine, theirs)), "hs_learn_derived",
               learn_derived, mkIRExprVec_3(plan->address, base, hs_const((ULong)plan->check)));
}

void hs_check_accesses(struct hs_block_state *b, Int statement) {
    for (UInt i = 0; b->bases && i < b->bases->n; i++) {
        const struct plan *plan = &b->bases->plans[i];
        if (plan->statement != statement)
            continue;
        if (plan->derived)
            insert_derived(b, plan);
        else if (plan->address)
            insert_indexed(b, plan);
        else
            insert_constant(b, plan);
    }
}

/* Mode internals: is a pointer that is about to be recorded the head of its unit? `advance` is 0
 * where the store is not recorded. */
void hs_check_pointer(struct hs_block_state *b, IRExpr *address, IRExpr *value, IRExpr *advance,
                      ULong site) {
    IRExpr *both;
    if (hs_mode != HSW_INTERNALS || value->tag != Iex_RdTmp)
        return;
    both = hs_binop(b, Iop_And64, map_byte(b, HS_SHADOW_HEADS, value), advance);
    hs_call_if(b, hs_temp(b, Ity_I1, IRExpr_Binop(Iop_CmpNE64, both, hs_const(0))),
               "hs_pointer_stored", hs_pointer_stored,
               mkIRExprVec_3(address, value, hs_const(site)));
}
