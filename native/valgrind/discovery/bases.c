/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which pointer an address was computed from: the accesses of a superblock, grouped into checks
 * that they stay in that pointer's node (checks.c).
 *
 * An address is a sum (sums.c). All accesses at constant distances from one leaf, between two exits
 * of the superblock, are one check.
 *
 * Not checked: what is computed from the stack pointer or the thread pointer; loads wider than a
 * word, with which libraries read past the end of strings; conditional loads and stores; links of
 * free lists (free_lists.c); statements whose checks failed often and taught nothing.
 */
#include "discovery/pass.h"
#include "shared/addresses.h"

static struct {
    struct hs_plan *plan;
    UInt n, room;
} plans;

/* Instructions whose checks failed often in vain. First only the address is looked at, as if it
 * came from nowhere, then nothing. */
static struct hs_addresses baseless, unchecked;
static struct hs_addresses underived; /* the same for pointers that were computed before */

/* ---- planning ---- */

static struct hs_plan *new_plan(Int statement) {
    struct hs_plan *plan;
    if (plans.n == plans.room) {
        plans.room = plans.room ? 2 * plans.room : 16;
        plans.plan = VG_(realloc)("hs.plans", plans.plan, plans.room * sizeof *plan);
    }
    plan = &plans.plan[plans.n++];
    VG_(memset)(plan, 0, sizeof *plan);
    plan->statement = statement;
    plan->open = True;
    return plan;
}

static void add_access(struct hs_plan *plan, const struct hs_access *access) {
    struct hs_check *check = plan->check;
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
static void plan_constant(Int statement, IRExpr *leaf, const struct hs_access *access) {
    Int low = access->offset < 0 ? access->offset : 0;
    Int high = access->offset + access->size > 0 ? access->offset + access->size : 1;
    struct hs_plan *plan;
    for (UInt i = 0; i < plans.n; i++) {
        plan = &plans.plan[i];
        if (plan->address || plan->leaf[0]->Iex.RdTmp.tmp != leaf->Iex.RdTmp.tmp)
            continue;
        if (plan->low <= low && plan->high >= high && (plan->open || plan->high == high))
            low = plan->low, high = plan->high;
        else if (!plan->open)
            continue;
        low = plan->low < low ? plan->low : low;
        high = plan->high > high ? plan->high : high;
        if (high - low > HS_MAX_SPAN)
            continue;
        plan->low = low;
        plan->high = high;
        plan->whole |= access->size >= 8 && access->offset % 8 == 0;
        if (plan->open)
            add_access(plan, access);
        return;
    }
    plan = new_plan(statement);
    plan->leaf[0] = leaf;
    plan->n_leaves = 1;
    plan->low = low;
    plan->high = high;
    plan->whole = access->size >= 8 && access->offset % 8 == 0;
    add_access(plan, access);
}

static void plan_indexed(Int statement, IRExpr *address, const struct hs_sum *sum,
                         struct hs_access *access) {
    struct hs_plan *plan = new_plan(statement);
    plan->address = address;
    plan->n_leaves = sum->n;
    for (UInt i = 0; i < sum->n; i++)
        plan->leaf[i] = sum->leaf[i];
    access->indexed = True;
    access->summed = sum->n > 1;
    access->constant = sum->n == 1 && !sum->indexed;
    add_access(plan, access);
}

/* What is written behind the end of a chunk is a word or two. */
static void plan_derived(Int statement, IRExpr *address, const struct hs_sum *sum,
                         const struct hs_access *access) {
    struct hs_plan *plan;
    if (!access->store || access->size != 8 || sum->n != 1 || sum->indexed || sum->constant < 0 ||
        sum->constant > 8 || !hs_may_be_derived(sum->leaf[0]) ||
        hs_addresses_have(&underived, access->instruction))
        return;
    plan = new_plan(statement);
    plan->address = address;
    plan->leaf[0] = sum->leaf[0];
    plan->n_leaves = 1;
    plan->derived = True;
    add_access(plan, access);
}

static void plan_access(struct hs_superblock *b, Int statement, IRExpr *address, UInt size,
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
    plan_derived(statement, address, &sum, &access);
    if (sum.n == 0 || hs_addresses_have(&baseless, instruction))
        sum = (struct hs_sum){{address}, 1}; /* a pointer of its own */
    if (sum.n == 1 && !sum.indexed && sum.constant > -HS_MAX_SPAN &&
        sum.constant + (Long)size < HS_MAX_SPAN) {
        access.offset = sum.constant;
        plan_constant(statement, sum.leaf[0], &access);
    } else
        plan_indexed(statement, address, &sum, &access);
}

static void close_plans(void) {
    for (UInt i = 0; i < plans.n; i++)
        plans.plan[i].open = False;
}

static void plan_statement(struct hs_superblock *b, Int i, Addr instruction) {
    const IRStmt *s = b->in->stmts[i];
    const IRTypeEnv *types = b->in->tyenv;
    switch (s->tag) {
    case Ist_WrTmp:
        if (s->Ist.WrTmp.data->tag == Iex_Load)
            plan_access(b, i, s->Ist.WrTmp.data->Iex.Load.addr,
                        sizeofIRType(s->Ist.WrTmp.data->Iex.Load.ty), False, instruction);
        break;
    case Ist_Store:
        plan_access(b, i, s->Ist.Store.addr, sizeofIRType(typeOfIRExpr(types, s->Ist.Store.data)),
                    True, instruction);
        break;
    case Ist_CAS:
        plan_access(b, i, s->Ist.CAS.details->addr,
                    sizeofIRType(typeOfIRExpr(types, s->Ist.CAS.details->dataLo)), True,
                    instruction);
        break;
    case Ist_Exit:
        close_plans();
        break;
    default:
        break;
    }
}

Bool hs_find_bases(struct hs_superblock *b) {
    Addr instruction = 0;
    for (Int i = 0; i < b->in->stmts_used; i++)
        if (b->in->stmts[i]->tag == Ist_IMark)
            instruction = b->in->stmts[i]->Ist.IMark.addr;
        else if (!hs_is_link(i))
            plan_statement(b, i, instruction);
    return plans.n > 0;
}

void hs_check_accesses(struct hs_superblock *b) {
    for (UInt i = 0; i < plans.n; i++)
        if (plans.plan[i].statement == b->statement)
            hs_insert_check(b, &plans.plan[i]);
}

void hs_forget_bases(void) {
    plans.n = 0;
}

/* ---- checks that teach nothing ---- */

void hs_check_is_useless(const struct hs_check *check) {
    hs_count(HSW_COUNTED_QUIET);
    for (UInt i = 0; i < check->n; i++) {
        Addr instruction = check->access[i].instruction;
        if (!hs_addresses_add(&baseless, instruction))
            hs_addresses_add(&unchecked, instruction);
        hs_discard(instruction);
    }
}

void hs_derived_is_useless(const struct hs_check *check) {
    Addr instruction = check->access[0].instruction;
    if (!hs_addresses_add(&underived, instruction))
        return;
    hs_count(HSW_COUNTED_QUIET);
    hs_discard(instruction);
}
