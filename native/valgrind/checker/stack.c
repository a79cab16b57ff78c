/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Follows the stack pointer through the temporaries of a superblock. Distances are counted from
 * where it was when it was last set anew.
 */
#include "checker/stack.h"

enum { OTHER, STACK, MOVED, FRAME };

static struct {
    UChar kind;
    UInt epoch;    /* STACK: how often it had been set anew */
    Long distance; /* STACK */
} * temps;
static UInt epoch;
static Long distance_now;

#define OFFSET_RBP offsetof(VexGuestAMD64State, guest_RBP)

void hs_stack_begin(struct hs_superblock *b) {
    temps = VG_(calloc)("hs.stack.temps", b->in->tyenv->types_used + 1, sizeof *temps);
    epoch = 0;
    distance_now = 0;
}

void hs_stack_end(void) {
    VG_(free)(temps);
    temps = NULL;
}

static UChar kind_of(const IRExpr *e) {
    return e->tag == Iex_RdTmp ? temps[e->Iex.RdTmp.tmp].kind : OTHER;
}

static void follow_sum(IRTemp temp, const IRExpr *e) {
    const IRExpr *x = e->Iex.Binop.arg1, *y = e->Iex.Binop.arg2;
    IROp op = e->Iex.Binop.op;
    UChar kind = kind_of(x);
    if (kind == OTHER || (op != Iop_Add64 && op != Iop_Sub64 && op != Iop_And64))
        return;
    temps[temp] = temps[x->Iex.RdTmp.tmp];
    if (kind == STACK && op != Iop_And64 && y->tag == Iex_Const)
        temps[temp].distance +=
            op == Iop_Add64 ? (Long)y->Iex.Const.con->Ico.U64 : -(Long)y->Iex.Const.con->Ico.U64;
    else if (kind == STACK)
        temps[temp].kind = MOVED;
}

void hs_stack_follow(const IRStmt *s) {
    const IRExpr *e = s->Ist.WrTmp.data;
    IRTemp temp = s->Ist.WrTmp.tmp;
    if (e->tag == Iex_RdTmp)
        temps[temp] = temps[e->Iex.RdTmp.tmp];
    else if (e->tag == Iex_Binop)
        follow_sum(temp, e);
    else if (e->tag == Iex_Get && e->Iex.Get.ty == Ity_I64 && e->Iex.Get.offset == HS_OFFSET_RSP) {
        temps[temp].kind = STACK;
        temps[temp].epoch = epoch;
        temps[temp].distance = distance_now;
    } else if (e->tag == Iex_Get && e->Iex.Get.ty == Ity_I64 && e->Iex.Get.offset == OFFSET_RBP)
        temps[temp].kind = FRAME;
}

static Bool is_at_distance(const IRExpr *e) {
    return kind_of(e) == STACK && temps[e->Iex.RdTmp.tmp].epoch == epoch;
}

enum hs_stack_change hs_stack_is_set(const IRStmt *s, Long *distance) {
    const IRExpr *e = s->Ist.Put.data;
    UChar kind = kind_of(e);
    if (is_at_distance(e)) {
        Long before = distance_now;
        distance_now = temps[e->Iex.RdTmp.tmp].distance;
        *distance = distance_now - before;
        return HS_BY_CONSTANT;
    }
    epoch++;
    distance_now = 0;
    if (e->tag == Iex_RdTmp) {
        temps[e->Iex.RdTmp.tmp].kind = STACK;
        temps[e->Iex.RdTmp.tmp].epoch = epoch;
        temps[e->Iex.RdTmp.tmp].distance = 0;
    }
    return kind == FRAME ? HS_FROM_FRAME : kind == OTHER ? HS_ANEW : HS_BY_VALUE;
}

Bool hs_stack_distance(const IRExpr *address, Long *distance) {
    if (!is_at_distance(address))
        return False;
    *distance = temps[address->Iex.RdTmp.tmp].distance - distance_now;
    return True;
}
