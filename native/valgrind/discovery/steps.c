/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mode portable: pointers that walk out of their node (`*p++ = c` in a loop). The value alone says
 * nothing once it lies in another node, so the step is looked at: a pointer that stores, and moves
 * by a constant from the end of one block of a known allocator into the next.
 *
 * Between two such blocks lies the allocator's header. A pointer that only goes to the end of its
 * block stops there; one that reaches the next block from words that touch it has been through the
 * header, and that is an overflow for certain.
 */
#include "discovery/nodes.h"
#include "walk/ir.h"

#define MAX_STEP 64

struct walk {
    Int statement; /* writes the pointer back */
    IRExpr *before, *after;
    struct hs_access *access; /* the store */
};
struct hs_walks {
    UInt n;
    struct walk walk[4];
};

/* ---- recognising ---- */

/* Whether the statement writes to where the value was read from: a register, or memory. */
static Bool is_written_back(const struct hs_block_state *b, const IRStmt *s, const IRExpr *value) {
    const IRExpr *d = value->tag == Iex_RdTmp ? b->definition[value->Iex.RdTmp.tmp] : NULL;
    if (!d)
        return False;
    if (s->tag == Ist_Put)
        return d->tag == Iex_Get && d->Iex.Get.offset == s->Ist.Put.offset;
    return d->tag == Iex_Load && hs_is_same(b, d->Iex.Load.addr, s->Ist.Store.addr);
}

static Bool is_leaf(const struct hs_sum *sum, const IRExpr *leaf) {
    return sum->n == 1 && !sum->indexed && !sum->skip &&
           sum->leaf[0]->Iex.RdTmp.tmp == leaf->Iex.RdTmp.tmp;
}

/* The store through the pointer in this superblock, NULL if there is none. */
static struct hs_access *store_through(const struct hs_block_state *b, const IRSB *in,
                                       const IRExpr *leaf) {
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

static void find_walk(struct hs_block_state *b, const IRSB *in, Int i, IRExpr *after) {
    struct hs_sum sum;
    struct walk *walk;
    if (after->tag != Iex_RdTmp || typeOfIRExpr(in->tyenv, after) != Ity_I64)
        return;
    sum = hs_sum_of(b, after);
    if (sum.n != 1 || !is_leaf(&sum, sum.leaf[0]) || sum.constant <= 0 || sum.constant > MAX_STEP ||
        !is_written_back(b, in->stmts[i], sum.leaf[0]))
        return;
    if (!b->walks)
        b->walks = VG_(calloc)("hs.walks", 1, sizeof *b->walks);
    if (b->walks->n == sizeof b->walks->walk / sizeof *b->walks->walk)
        return;
    walk = &b->walks->walk[b->walks->n];
    *walk = (struct walk){i, sum.leaf[0], after, store_through(b, in, sum.leaf[0])};
    if (walk->access)
        b->walks->n++;
}

void hs_find_walks(struct hs_block_state *b, const IRSB *in) {
    for (Int i = 0; b->own && hs_mode == HSW_PORTABLE && i < in->stmts_used; i++)
        if (in->stmts[i]->tag == Ist_Put)
            find_walk(b, in, i, in->stmts[i]->Ist.Put.data);
        else if (in->stmts[i]->tag == Ist_Store)
            find_walk(b, in, i, in->stmts[i]->Ist.Store.data);
}

/* ---- what runs ---- */

static void steps(Addr before, Addr after, struct hs_access *access) {
    UInt from = hs_node_at(before), to = hs_node_at(after);
    if (!from || !to || hs_leaving_out() ||
        !(hs_node(from)->flags & hs_node(to)->flags & HS_KNOWN) ||
        hs_extent_end(hs_node(from)) != hs_extent_start(hs_node(to)))
        return;
    hs_suspicious(HSW_SUSPICION_WALK, from, before, to, after, access->size,
                  hs_access_site(access));
}

void hs_instrument_walks(struct hs_block_state *b, Int statement) {
    for (UInt i = 0; b->walks && i < b->walks->n; i++) {
        const struct walk *walk = &b->walks->walk[i];
        IRExpr *guard;
        if (walk->statement != statement)
            continue;
        guard = hs_temp(
            b, Ity_I1,
            IRExpr_Binop(Iop_CmpNE32, hs_owner_at(b, walk->before), hs_owner_at(b, walk->after)));
        hs_call_if(b, guard, "hs_steps", steps,
                   mkIRExprVec_3(walk->before, walk->after, hs_const((ULong)walk->access)));
    }
}
