/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Valgrind asks, for an address it is to translate, whether other code stands in for it; slow code
 * is translated by answering with the real address for that of the twin. This hangs on how the core
 * calls itself, and on nothing else.
 */
#include "walk/twins.h"

#include "walk/ir.h"

Bool hs_twins;

extern void VG_(set_IP)(ThreadId, Addr);
Addr __real_vgPlain_redir_do_lookup(Addr address, Bool *is_wrap);
Addr __wrap_vgPlain_redir_do_lookup(Addr address, Bool *is_wrap);

Addr __wrap_vgPlain_redir_do_lookup(Addr address, Bool *is_wrap) {
    if (address < HS_TWIN || address >= 2 * HS_TWIN)
        return __real_vgPlain_redir_do_lookup(address, is_wrap);
    if (is_wrap)
        *is_wrap = False;
    return address - HS_TWIN;
}

void hs_forget_twin(ThreadId tid) {
    Addr address = VG_(get_IP)(tid);
    if (address >= HS_TWIN && address < 2 * HS_TWIN)
        VG_(set_IP)(tid, address - HS_TWIN);
}

/* ---- the order within an instruction ---- */

static Bool is_access(const IRStmt *s) {
    switch (s->tag) {
    case Ist_WrTmp:
        return s->Ist.WrTmp.data->tag == Iex_Load;
    case Ist_Store:
    case Ist_CAS:
        return True;
    default:
        return False;
    }
}

/* Whether a PUT may come behind the statement instead of before it. */
static Bool may_pass(const IRSB *in, const IRStmt *put, const IRStmt *s) {
    Int start = put->Ist.Put.offset;
    Int end = start + (Int)sizeofIRType(typeOfIRExpr(in->tyenv, put->Ist.Put.data));
    const IRExpr *e;
    switch (s->tag) {
    case Ist_Put:
        return s->Ist.Put.offset >= end ||
               s->Ist.Put.offset + (Int)sizeofIRType(typeOfIRExpr(in->tyenv, s->Ist.Put.data)) <=
                   start;
    case Ist_Store:
    case Ist_CAS:
    case Ist_NoOp:
        return True;
    case Ist_WrTmp:
        e = s->Ist.WrTmp.data;
        if (e->tag == Iex_Get)
            return e->Iex.Get.offset >= end ||
                   e->Iex.Get.offset + (Int)sizeofIRType(e->Iex.Get.ty) <= start;
        return e->tag != Iex_GetI;
    default:
        return False;
    }
}

static Bool may_pass_all(const IRSB *in, Int put, Int last) {
    for (Int i = put + 1; i <= last; i++)
        if (!may_pass(in, in->stmts[put], in->stmts[i]))
            return False;
    return True;
}

/* The translation of some instructions (bt) moves the stack pointer away and back, to use the
 * memory between: such a PUT must stay before it. `leave` sets it twice as well, but means it. */
static Bool borrows_stack(const IRSB *in, Int first, Int end) {
    const IRStmt *mark = in->stmts[first];
    UInt n = 0;
    if (mark->tag != Ist_IMark || *(const UChar *)mark->Ist.IMark.addr == 0xC9)
        return False;
    for (Int i = first; i < end; i++)
        n += in->stmts[i]->tag == Ist_Put && in->stmts[i]->Ist.Put.offset == HS_OFFSET_RSP;
    return n > 1;
}

/* The statements from `first` up to `end` are one instruction. */
static void copy_instruction(IRSB *out, const IRSB *in, Int first, Int end) {
    Int last = end - 1, n_delayed = 0;
    IRStmt *delayed[32];
    if (borrows_stack(in, first, end))
        last = first - 1;
    while (last >= first && !is_access(in->stmts[last]))
        last--;
    for (Int i = first; i < end; i++) {
        IRStmt *s = in->stmts[i];
        if (i < last && s->tag == Ist_Put && n_delayed < 32 && may_pass_all(in, i, last))
            delayed[n_delayed++] = s;
        else
            addStmtToIRSB(out, s);
        for (Int j = 0; i == last && j < n_delayed; j++)
            addStmtToIRSB(out, delayed[j]);
    }
}

IRSB *hs_delay_puts(IRSB *in) {
    IRSB *out = deepCopyIRSBExceptStmts(in);
    Int i = 0;
    while (i < in->stmts_used) {
        Int end = i + 1;
        while (end < in->stmts_used && in->stmts[end]->tag != Ist_IMark)
            end++;
        copy_instruction(out, in, i, end);
        i = end;
    }
    return out;
}

/* ---- PUTs that nobody sees ---- */

#define GUEST_BYTES sizeof(VexGuestAMD64State)

static UChar is_dead[GUEST_BYTES]; /* overwritten later, before anybody looks */

static void set_dead(Int offset, Int size, Bool dead) {
    if (offset >= 0 && offset + size <= (Int)GUEST_BYTES)
        VG_(memset)(is_dead + offset, dead, size);
}

static void all_live(void) {
    VG_(memset)(is_dead, 0, sizeof is_dead);
}

/* What unwinding needs, where an access may fault. */
static void unwound(void) {
    set_dead(HS_OFFSET_RSP, 8, False);
    set_dead(HS_OFFSET_RIP, 8, False);
    set_dead(offsetof(VexGuestAMD64State, guest_RBP), 8, False);
}

static Bool is_dropped(const IRSB *out, const IRStmt *put) {
    Int offset = put->Ist.Put.offset;
    Int size = sizeofIRType(typeOfIRExpr(out->tyenv, put->Ist.Put.data));
    if (offset + size > (Int)GUEST_BYTES)
        return False;
    for (Int i = 0; i < size; i++)
        if (!is_dead[offset + i]) {
            set_dead(offset, size, True);
            return False;
        }
    return True;
}

void hs_drop_puts(IRSB *out) {
    all_live();
    for (Int i = out->stmts_used; i-- > 0;) {
        IRStmt *s = out->stmts[i];
        const IRExpr *e;
        switch (s->tag) {
        case Ist_Put:
            if (is_dropped(out, s))
                out->stmts[i] = IRStmt_NoOp();
            break;
        case Ist_WrTmp:
            e = s->Ist.WrTmp.data;
            if (e->tag == Iex_Get)
                set_dead(e->Iex.Get.offset, sizeofIRType(e->Iex.Get.ty), False);
            else if (e->tag == Iex_GetI)
                all_live();
            else if (e->tag == Iex_Load)
                unwound();
            break;
        case Ist_Store:
        case Ist_CAS:
            unwound();
            break;
        case Ist_NoOp:
        case Ist_IMark:
        case Ist_AbiHint:
            break;
        default:
            all_live();
        }
    }
}
