/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Generated code that appends records, and calls of C code.
 *
 * A record is written at the cursor whether it counts or not; whether it counts is decided by how
 * far the cursor then moves: no branch. The cursor is stored after every record, so it is right
 * whenever a later instruction faults. Whether the segment is full is asked once per superblock, at
 * its start, where no value is alive yet and a call is cheap.
 */
#include "shared/ring.h"
#include "walk/ir.h"

IRExpr *hs_cursor(struct hs_superblock *b) {
    if (!b->ring)
        b->ring = hs_get_shadow(b, HS_SHADOW_RING);
    if (!b->cursor)
        b->cursor = hs_load64(b, hs_add(b, b->ring, offsetof(struct hsw_ring, cursor)));
    return b->cursor;
}

void hs_set_cursor(struct hs_superblock *b, IRExpr *cursor) {
    hs_stmt(b,
            IRStmt_Store(Iend_LE, hs_add(b, b->ring, offsetof(struct hsw_ring, cursor)), cursor));
    b->cursor = cursor;
}

void hs_emit(struct hs_superblock *b, IRExpr *first, IRExpr *second, IRExpr *advance) {
    IRExpr *cursor = hs_cursor(b);
    hs_stmt(b, IRStmt_Store(Iend_LE, cursor, first));
    hs_stmt(b, IRStmt_Store(Iend_LE, hs_add(b, cursor, 8), second));
    hs_set_cursor(b, hs_binop(b, Iop_Add64, cursor, advance ? advance : hs_const(16)));
}

void hs_check_room(struct hs_superblock *b) {
    IRExpr *cursor = hs_cursor(b);
    IRExpr *limit = hs_load64(b, hs_add(b, b->ring, HS_LIMIT_OFFSET));
    hs_call_if(b, hs_test(b, Iop_CmpLT64U, limit, cursor), "hs_flush", hs_flush, mkIRExprVec_0());
}

/* The record that is being filled in may move while C code runs: it fills the segment. */
static void say_open(struct hs_superblock *b) {
    IRExpr *ring = hs_get_shadow(b, HS_SHADOW_RING);
    hs_stmt(b, IRStmt_Store(Iend_LE, hs_add(b, ring, HS_OPEN_OFFSET), b->record));
    hs_stmt(b, IRStmt_Store(Iend_LE, hs_add(b, ring, HS_OPEN_LENGTH_OFFSET),
                            hs_const(b->record_length)));
}

static void find_open(struct hs_superblock *b) {
    IRExpr *open = hs_add(b, hs_get_shadow(b, HS_SHADOW_RING), HS_OPEN_OFFSET);
    b->record = hs_load64(b, open);
    hs_stmt(b, IRStmt_Store(Iend_LE, open, hs_const(0)));
}

void hs_call_helper(struct hs_superblock *b, IRDirty *call) {
    if (b->record)
        say_open(b);
    hs_stmt(b, IRStmt_Dirty(call));
    b->cursor = b->ring = NULL; /* better loaded again than kept across a call */
    if (b->record)
        find_open(b);
}

void hs_call_if(struct hs_superblock *b, IRExpr *guard, const HChar *name, void *function,
                IRExpr **arguments) {
    IRDirty *call = unsafeIRDirty_0_N(0, name, VG_(fnptr_to_fnentry)(function), arguments);
    call->guard = guard;
    hs_call_helper(b, call);
}

void hs_leave_if(struct hs_superblock *b, IRExpr *flag, IRExpr *start, ULong length) {
    IRExpr *leave = hs_test(b, Iop_CmpNE64, flag, hs_const(0));
    hs_stmt(b, IRStmt_Put(offsetof(VexGuestAMD64State, guest_CMSTART), start));
    hs_stmt(b, IRStmt_Put(offsetof(VexGuestAMD64State, guest_CMLEN), hs_const(length)));
    hs_stmt(b, IRStmt_Exit(leave, Ijk_InvalICache, IRConst_U64(b->instruction), HS_OFFSET_RIP));
}

static void touches_state(IRDirty *call, IREffect effect, Int offset) {
    Int i = call->nFxState++;
    VG_(memset)(&call->fxState[i], 0, sizeof call->fxState[i]);
    call->fxState[i].fx = effect;
    call->fxState[i].offset = offset;
    call->fxState[i].size = 8;
}

void hs_reads_state(IRDirty *call, Int offset) {
    touches_state(call, Ifx_Read, offset);
}

void hs_modifies_state(IRDirty *call, Int offset) {
    touches_state(call, Ifx_Modify, offset);
}
