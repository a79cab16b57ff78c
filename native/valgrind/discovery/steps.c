/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mode portable: pointers that step out of their node (`*p++ = c` in a loop). The value alone says
 * nothing once it lies in another node, so the step is looked at: a pointer that stores, and moves
 * by a constant from the end of one block of a known allocator into the next.
 *
 * Between two such blocks lies the allocator's header. A pointer that only goes to the end of its
 * block stops there; one that reaches the next block from words that touch it has been through the
 * header, and that is an overflow for certain. Where blocks have no headers, the end of one is the
 * start of the next, and a step tells nothing.
 */
#include "discovery/pass.h"

#define MAX_STEP 64 /* bytes */
#define MAX_STEPS 4

struct step {
    Int statement; /* writes the pointer back */
    IRExpr *before, *after;
    struct hs_access *access; /* the store */
};
static struct step steps[MAX_STEPS];
static UInt n_steps;

/* ---- recognising ---- */

/* Whether the statement writes to where the value was read from: a register, or memory. */
static Bool is_written_back(const IRStmt *s, const IRExpr *value) {
    const IRExpr *d = hs_definition(value);
    if (!d)
        return False;
    if (s->tag == Ist_Put)
        return d->tag == Iex_Get && d->Iex.Get.offset == s->Ist.Put.offset;
    return d->tag == Iex_Load && hs_is_same(d->Iex.Load.addr, s->Ist.Store.addr);
}

static Bool is_leaf(const struct hs_sum *sum, const IRExpr *leaf) {
    return sum->n == 1 && !sum->indexed && !sum->skip &&
           sum->leaf[0]->Iex.RdTmp.tmp == leaf->Iex.RdTmp.tmp;
}

/* The store through the pointer in this superblock, NULL if there is none. */
static struct hs_access *store_through(struct hs_superblock *b, const IRExpr *leaf) {
    const IRSB *in = b->in;
    Addr instruction = 0;
    for (Int i = 0; i < in->stmts_used; i++) {
        const IRStmt *s = in->stmts[i];
        struct hs_sum sum;
        if (s->tag == Ist_IMark)
            instruction = s->Ist.IMark.addr;
        if (s->tag != Ist_Store || s->Ist.Store.addr->tag != Iex_RdTmp)
            continue;
        sum = hs_sum_of(b, s->Ist.Store.addr);
        if (!is_leaf(&sum, leaf))
            continue;
        return hs_new_store(instruction, sizeofIRType(typeOfIRExpr(in->tyenv, s->Ist.Store.data)),
                            b->own);
    }
    return NULL;
}

static void find_step(struct hs_superblock *b, Int i, IRExpr *after) {
    struct hs_access *access;
    struct hs_sum sum;
    if (after->tag != Iex_RdTmp || typeOfIRExpr(b->in->tyenv, after) != Ity_I64)
        return;
    sum = hs_sum_of(b, after);
    if (sum.n != 1 || !is_leaf(&sum, sum.leaf[0]) || sum.constant <= 0 || sum.constant > MAX_STEP ||
        !is_written_back(b->in->stmts[i], sum.leaf[0]) || n_steps == MAX_STEPS)
        return;
    access = store_through(b, sum.leaf[0]);
    if (access)
        steps[n_steps++] = (struct step){i, sum.leaf[0], after, access};
}

void hs_find_steps(struct hs_superblock *b) {
    for (Int i = 0; b->own && hs_mode == HSW_PORTABLE && i < b->in->stmts_used; i++)
        if (b->in->stmts[i]->tag == Ist_Put)
            find_step(b, i, b->in->stmts[i]->Ist.Put.data);
        else if (b->in->stmts[i]->tag == Ist_Store)
            find_step(b, i, b->in->stmts[i]->Ist.Store.data);
}

void hs_forget_steps(void) {
    n_steps = 0;
}

/* ---- what runs ---- */

static void stepped(Addr before, Addr after, struct hs_access *access) {
    UInt from = hs_node_at(before), to = hs_node_at(after);
    if (!from || !to || hs_blocks_touch || hs_leaving_out() ||
        !(hs_node(from)->flags & hs_node(to)->flags & HS_KNOWN) ||
        hs_extent_end(hs_node(from)) != hs_extent_start(hs_node(to)))
        return;
    hs_suspicious(HSW_SUSPICION_WALK, from, before, to, after, access->size,
                  hs_access_site(access));
}

void hs_check_steps(struct hs_superblock *b) {
    for (UInt i = 0; i < n_steps; i++) {
        const struct step *step = &steps[i];
        IRExpr *guard;
        if (step->statement != b->statement)
            continue;
        guard = hs_test(b, Iop_CmpNE32, hs_owner_at(b, step->before), hs_owner_at(b, step->after));
        hs_call_if(b, guard, "hs_stepped", stepped,
                   mkIRExprVec_3(step->before, step->after, hs_const((ULong)step->access)));
    }
}
