/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls and returns. A call appends HSW_CALL; a return that finds that record still last takes it
 * back, so that only calls during which something was recorded remain (see the wire's HSW_CALL).
 *
 * Instrumented are all calls in own code, and indirect calls elsewhere (callbacks into own code go
 * through a pointer). A direct call from a system library to own code, through its PLT, leaves no
 * CALL; the callee's RET then has no partner.
 *
 * A call through a PLT stub is a call to what the stub jumps to. Until the dynamic linker has found
 * that, the target is given as 0: unknown.
 *
 * A function of own code that ends by jumping into a library never returns itself: its calls have
 * ended all the same, so there the return of whatever it called last is appended. Not seen are
 * jumps through a register.
 */
#include "recorder/recorder.h"

#include "shared/modules.h"
#include "shared/peek.h"
#include "shared/sites.h"
#include "walk/ir.h"

Bool hs_wants_call(const struct hs_superblock *b) {
    return b->in->jumpkind == Ijk_Call && (b->own || b->in->next->tag != Iex_Const);
}

/* The tag's first word. A stack may lie above what an address field holds. */
static IRExpr *with_tag(struct hs_superblock *b, UInt tag, IRExpr *sp) {
    return hs_binop(b, Iop_Or64, hs_binop(b, Iop_And64, sp, hs_const(HSW_ADDRESS_MASK)),
                    hs_const(HSW_WORD(tag, 0)));
}

/* Where the code at `at` begins behind a landing pad (endbr64); 0 where nothing can be read. */
static Addr skip_landing_pad(Addr at) {
    static const UChar pad[] = {0xf3, 0x0f, 0x1e, 0xfa};
    UChar code[16];
    if (!hs_peek(code, at, sizeof code))
        return 0;
    return VG_(memcmp)((const void *)at, pad, sizeof pad) == 0 ? at + sizeof pad : at;
}

/* The word through which a stub jumps (jmp *slot(%rip), perhaps behind a bnd prefix); 0 if the code
 * is no stub. */
static Addr slot_of_stub(Addr target) {
    const UChar *code = (const UChar *)skip_landing_pad(target);
    Int distance;
    if (!code)
        return 0;
    if (*code == 0xf2)
        code++;
    if (code[0] != 0xff || code[1] != 0x25)
        return 0;
    VG_(memcpy)(&distance, code + 2, sizeof distance);
    Addr slot = (Addr)code + 6 + distance;
    return VG_(am_is_valid_for_client)(slot, 8, VKI_PROT_READ) ? slot : 0;
}

static IRExpr *target_behind_stub(struct hs_superblock *b, Addr slot) {
    enum { PUSH = 0x68 }; /* a slot that is not yet bound leads to the push of its number */
    Addr now = *(Addr *)slot;
    const UChar *code = (const UChar *)skip_landing_pad(now);
    IRExpr *target = hs_load64(b, hs_const(slot));
    if (code && *code == PUSH) {
        IRExpr *unbound = hs_test(b, Iop_CmpEQ64, target, hs_const(now));
        target = hs_temp(b, Ity_I64, IRExpr_ITE(unbound, hs_const(0), target));
    }
    return target;
}

void hs_record_call(struct hs_superblock *b) {
    IRExpr *target = b->in->next;
    ULong site = hs_new_site(b->instruction, b->length, HSW_SITE_CALL, b->own);
    IRExpr *first = with_tag(b, HSW_CALL, hs_get(b, HS_OFFSET_RSP));
    IRExpr *second;
    Addr slot = target->tag == Iex_Const ? slot_of_stub(target->Iex.Const.con->Ico.U64) : 0;
    if (slot)
        target = target_behind_stub(b, slot);
    if (target->tag == Iex_Const)
        second = hs_const(HSW_WORD(site, target->Iex.Const.con->Ico.U64 & HSW_ADDRESS_MASK));
    else
        second = hs_binop(b, Iop_Or64, hs_binop(b, Iop_And64, target, hs_const(HSW_ADDRESS_MASK)),
                          hs_const(HSW_WORD(site, 0)));
    hs_emit(b, first, second, NULL);
}

Bool hs_jumps_away(const struct hs_superblock *b) {
    const IRExpr *target = b->in->next;
    if (!b->own || b->in->jumpkind != Ijk_Boring || target->tag != Iex_Const)
        return False;
    return !hs_is_own(target->Iex.Const.con->Ico.U64) ||
           slot_of_stub(target->Iex.Const.con->Ico.U64);
}

/* The stack pointer before the return: the address its target was loaded from. */
static IRExpr *return_slot(const struct hs_superblock *b) {
    const IRExpr *next = b->in->next;
    if (next->tag != Iex_RdTmp)
        return NULL;
    for (Int i = b->in->stmts_used; i-- > 0;) {
        const IRStmt *s = b->in->stmts[i];
        if (s->tag == Ist_WrTmp && s->Ist.WrTmp.tmp == next->Iex.RdTmp.tmp)
            return s->Ist.WrTmp.data->tag == Iex_Load ? s->Ist.WrTmp.data->Iex.Load.addr : NULL;
    }
    return NULL;
}

static void emit_return(struct hs_superblock *b, IRExpr *call, IRExpr *advance) {
    /* the next tag: RET is CALL + 1 */
    IRExpr *first = hs_add(b, call, HSW_WORD(HSW_RET - HSW_CALL, 0));
    hs_emit(b, first, hs_const(b->instruction), advance);
}

static void record_return(struct hs_superblock *b, IRExpr *slot) {
    IRExpr *cursor, *last, *taken, *move, *call = with_tag(b, HSW_CALL, slot);
    if (b->level == HS_HEAP_AND_STREAM) { /* the collector takes calls back */
        if (b->own)
            emit_return(b, call, NULL);
        return;
    }
    cursor = hs_cursor(b);
    last = hs_load64(b, hs_add(b, cursor, -16ull));
    taken = hs_test(b, Iop_CmpEQ64, last, call);
    if (b->own) {
        move = hs_temp(b, Ity_I64, IRExpr_ITE(taken, hs_const(-16ull), hs_const(16)));
        emit_return(b, call, move);
    } else {
        move = hs_temp(b, Ity_I64, IRExpr_ITE(taken, hs_const(-16ull), hs_const(0)));
        hs_set_cursor(b, hs_binop(b, Iop_Add64, cursor, move));
    }
}

void hs_record_return(struct hs_superblock *b) {
    IRExpr *slot = return_slot(b);
    record_return(b, slot ? slot : hs_add(b, hs_get(b, HS_OFFSET_RSP), -8ull));
}

void hs_record_jump_away(struct hs_superblock *b) {
    record_return(b, hs_add(b, hs_get(b, HS_OFFSET_RSP), -8ull));
}
