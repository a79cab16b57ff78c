/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which temporaries are the stack pointer plus or minus a constant, or aligned down, and where code
 * goes over to another stack: the stack pointer becomes something that neither it was computed from
 * nor the frame pointer (leave).
 */
#include "shared/stacks.h"
#include "walk/ir.h"

enum { OTHER, STACK, FRAME }; /* what a temporary is computed from */

#define OFFSET_RBP offsetof(VexGuestAMD64State, guest_RBP)

static const IRExpr *moved_by_constant(const IRExpr *e) {
    if (e->tag == Iex_RdTmp)
        return e;
    if (e->tag == Iex_Binop && e->Iex.Binop.arg2->tag == Iex_Const &&
        (e->Iex.Binop.op == Iop_Add64 || e->Iex.Binop.op == Iop_Sub64 ||
         e->Iex.Binop.op == Iop_And64))
        return e->Iex.Binop.arg1;
    return NULL;
}

static UChar origin_of(const struct hs_superblock *b, const IRExpr *e) {
    return e->tag == Iex_RdTmp ? b->is_stack[e->Iex.RdTmp.tmp] : OTHER;
}

static void follow(struct hs_superblock *b, const IRStmt *s) {
    const IRExpr *e = s->Ist.WrTmp.data, *x = moved_by_constant(e);
    UChar *origin = &b->is_stack[s->Ist.WrTmp.tmp];
    if (e->tag == Iex_Get && e->Iex.Get.ty == Ity_I64)
        *origin = e->Iex.Get.offset == HS_OFFSET_RSP ? (b->leaves_stack ? OTHER : STACK)
                  : e->Iex.Get.offset == OFFSET_RBP  ? FRAME
                                                     : OTHER;
    else if (x)
        *origin = origin_of(b, x);
    else if (e->tag == Iex_Binop && e->Iex.Binop.op == Iop_Sub64 && !b->leaves_stack &&
             origin_of(b, e->Iex.Binop.arg1) == STACK)
        *origin = FRAME; /* alloca: on the same stack, at no constant distance */
}

static void find_origins(struct hs_superblock *b) {
    if (b->is_stack)
        return;
    b->is_stack = VG_(calloc)("hs.stack", b->in->tyenv->types_used + 1, 1);
    for (Int i = 0; i < b->in->stmts_used; i++) {
        const IRStmt *s = b->in->stmts[i];
        if (s->tag == Ist_WrTmp)
            follow(b, s);
        else if (s->tag == Ist_Put && s->Ist.Put.offset == HS_OFFSET_RSP &&
                 origin_of(b, s->Ist.Put.data) == OTHER)
            b->leaves_stack = True;
    }
}

Bool hs_on_stack(struct hs_superblock *b, const IRExpr *address) {
    find_origins(b);
    return origin_of(b, address) == STACK;
}

Bool hs_leaves_stack(struct hs_superblock *b) {
    find_origins(b);
    return b->leaves_stack;
}

Bool hs_is_unrecorded_stack(struct hs_superblock *b, const IRExpr *address) {
    return !hs_stacks_recorded && hs_on_stack(b, address);
}
