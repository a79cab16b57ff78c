/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which temporaries are the stack pointer plus or minus a constant, or aligned down. */
#include "walk/ir.h"

static const IRExpr *moved_by_constant(const IRExpr *e) {
    if (e->tag == Iex_RdTmp)
        return e;
    if (e->tag == Iex_Binop && e->Iex.Binop.arg2->tag == Iex_Const &&
        (e->Iex.Binop.op == Iop_Add64 || e->Iex.Binop.op == Iop_Sub64 ||
         e->Iex.Binop.op == Iop_And64))
        return e->Iex.Binop.arg1;
    return NULL;
}

static void follow(UChar *is_stack, const IRStmt *s) {
    const IRExpr *e = s->Ist.WrTmp.data, *x = moved_by_constant(e);
    if (e->tag == Iex_Get && e->Iex.Get.offset == HS_OFFSET_RSP && e->Iex.Get.ty == Ity_I64)
        is_stack[s->Ist.WrTmp.tmp] = 1;
    else if (x && x->tag == Iex_RdTmp)
        is_stack[s->Ist.WrTmp.tmp] = is_stack[x->Iex.RdTmp.tmp];
}

Bool hs_on_stack(struct hs_superblock *b, const IRExpr *address) {
    if (!b->is_stack) {
        b->is_stack = VG_(calloc)("hs.stack", b->in->tyenv->types_used + 1, 1);
        for (Int i = 0; i < b->in->stmts_used; i++)
            if (b->in->stmts[i]->tag == Ist_WrTmp)
                follow(b->is_stack, b->in->stmts[i]);
    }
    return address->tag == Iex_RdTmp && b->is_stack[address->Iex.RdTmp.tmp];
}
