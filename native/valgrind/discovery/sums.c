/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses as sums. The leaves are values that may be pointers: registers at the superblock's
 * entry, loaded values, results of anything but addition and subtraction. What is too narrow to be
 * a pointer, shifted or multiplied is an index.
 */
#include "discovery/pass.h"

#define MAX_DEPTH 8
#define MAX_SAME 6

static IRExpr **definitions; /* by temporary */

void hs_find_definitions(const struct hs_superblock *b) {
    definitions = VG_(calloc)("hs.defs", b->in->tyenv->types_used + 1, sizeof(IRExpr *));
    for (Int i = 0; i < b->in->stmts_used; i++)
        if (b->in->stmts[i]->tag == Ist_WrTmp)
            definitions[b->in->stmts[i]->Ist.WrTmp.tmp] = b->in->stmts[i]->Ist.WrTmp.data;
}

void hs_forget_definitions(void) {
    VG_(free)(definitions);
    definitions = NULL;
}

IRExpr *hs_definition(const IRExpr *e) {
    return e->tag == Iex_RdTmp ? definitions[e->Iex.RdTmp.tmp] : NULL;
}

static Bool is_index_op(IROp op) {
    switch (op) {
    case Iop_Shl64:
    case Iop_Shr64:
    case Iop_Sar64:
    case Iop_Mul64:
        return True;
    default:
        return False;
    }
}

static Bool is_widening(IROp op) {
    switch (op) {
    case Iop_1Uto64:
    case Iop_8Uto64:
    case Iop_8Sto64:
    case Iop_16Uto64:
    case Iop_16Sto64:
    case Iop_32Uto64:
    case Iop_32Sto64:
        return True;
    default:
        return False;
    }
}

/* Mode internals: a pointer less a size leads to the chunk before, and is a pointer of its own. */
static Bool is_way_back(const IRExpr *d) {
    return hs_mode == HSW_INTERNALS && d->Iex.Binop.arg2->tag != Iex_Const;
}

static void add_leaf(struct hs_sum *sum, IRExpr *e) {
    if (sum->n == HS_LEAVES)
        sum->skip = True;
    else
        sum->leaf[sum->n++] = e;
}

static void add_term(struct hs_superblock *b, struct hs_sum *sum, IRExpr *e, UInt depth) {
    IRExpr *d;
    if (e->tag == Iex_Const) {
        sum->constant += (Long)e->Iex.Const.con->Ico.U64;
        return;
    }
    if (hs_on_stack(b, e)) {
        sum->skip = True;
        return;
    }
    d = hs_definition(e);
    if (!d || depth == MAX_DEPTH)
        add_leaf(sum, e);
    else if (d->tag == Iex_RdTmp)
        add_term(b, sum, d, depth + 1);
    else if (d->tag == Iex_Get && d->Iex.Get.offset == offsetof(VexGuestAMD64State, guest_FS_CONST))
        sum->skip = True;
    else if (d->tag == Iex_Binop && d->Iex.Binop.op == Iop_Add64) {
        add_term(b, sum, d->Iex.Binop.arg1, depth + 1);
        add_term(b, sum, d->Iex.Binop.arg2, depth + 1);
    } else if (d->tag == Iex_Binop && d->Iex.Binop.op == Iop_Sub64 && is_way_back(d)) {
        add_leaf(sum, e);
    } else if (d->tag == Iex_Binop && d->Iex.Binop.op == Iop_Sub64) {
        add_term(b, sum, d->Iex.Binop.arg1, depth + 1);
        if (d->Iex.Binop.arg2->tag == Iex_Const)
            sum->constant -= (Long)d->Iex.Binop.arg2->Iex.Const.con->Ico.U64;
        else
            sum->indexed = True;
    } else if ((d->tag == Iex_Binop && is_index_op(d->Iex.Binop.op)) ||
               (d->tag == Iex_Unop && is_widening(d->Iex.Unop.op)))
        sum->indexed = True;
    else
        add_leaf(sum, e);
}

struct hs_sum hs_sum_of(struct hs_superblock *b, IRExpr *address) {
    struct hs_sum sum = {{0}};
    add_term(b, &sum, address, 0);
    return sum;
}

/* Whether two atoms are computed alike from the same values. */
static Bool is_same(const IRExpr *x, const IRExpr *y, UInt depth) {
    const IRExpr *dx = hs_definition(x), *dy = hs_definition(y);
    if (x->tag == Iex_Const && y->tag == Iex_Const)
        return x->Iex.Const.con->Ico.U64 == y->Iex.Const.con->Ico.U64;
    if (x->tag != Iex_RdTmp || y->tag != Iex_RdTmp)
        return False;
    if (x->Iex.RdTmp.tmp == y->Iex.RdTmp.tmp)
        return True;
    if (!dx || !dy || dx->tag != dy->tag || depth == MAX_SAME)
        return False;
    if (dx->tag == Iex_Binop)
        return dx->Iex.Binop.op == dy->Iex.Binop.op &&
               is_same(dx->Iex.Binop.arg1, dy->Iex.Binop.arg1, depth + 1) &&
               is_same(dx->Iex.Binop.arg2, dy->Iex.Binop.arg2, depth + 1);
    return dx->tag == Iex_Unop && dx->Iex.Unop.op == dy->Iex.Unop.op &&
           is_same(dx->Iex.Unop.arg, dy->Iex.Unop.arg, depth + 1);
}

Bool hs_is_same(const IRExpr *x, const IRExpr *y) {
    return is_same(x, y, 0);
}
