/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small words for building flat IR. */
#ifndef HEAPSTORY_WALK_IR_H
#define HEAPSTORY_WALK_IR_H

#include "shared/shadow.h"
#include "walk/pass.h"

#define HS_OFFSET_RAX offsetof(VexGuestAMD64State, guest_RAX)
#define HS_OFFSET_RCX offsetof(VexGuestAMD64State, guest_RCX)
#define HS_OFFSET_RDX offsetof(VexGuestAMD64State, guest_RDX)
#define HS_OFFSET_RSP offsetof(VexGuestAMD64State, guest_RSP)
#define HS_OFFSET_RSI offsetof(VexGuestAMD64State, guest_RSI)
#define HS_OFFSET_RDI offsetof(VexGuestAMD64State, guest_RDI)
#define HS_OFFSET_RIP offsetof(VexGuestAMD64State, guest_RIP)
#define HS_OFFSET_R15 offsetof(VexGuestAMD64State, guest_R15)

static inline IRExpr *hs_const(ULong value) {
    return IRExpr_Const(IRConst_U64(value));
}

static inline void hs_stmt(struct hs_superblock *b, IRStmt *s) {
    addStmtToIRSB(b->out, s);
}

static inline IRExpr *hs_temp(struct hs_superblock *b, IRType type, IRExpr *e) {
    IRTemp t = newIRTemp(b->out->tyenv, type);
    hs_stmt(b, IRStmt_WrTmp(t, e));
    return IRExpr_RdTmp(t);
}

static inline IRExpr *hs_unop(struct hs_superblock *b, IROp op, IRType type, IRExpr *e) {
    return hs_temp(b, type, IRExpr_Unop(op, e));
}

static inline IRExpr *hs_binop(struct hs_superblock *b, IROp op, IRExpr *x, IRExpr *y) {
    return hs_temp(b, Ity_I64, IRExpr_Binop(op, x, y));
}

/* A comparison. */
static inline IRExpr *hs_test(struct hs_superblock *b, IROp op, IRExpr *x, IRExpr *y) {
    return hs_temp(b, Ity_I1, IRExpr_Binop(op, x, y));
}

static inline IRExpr *hs_add(struct hs_superblock *b, IRExpr *e, ULong k) {
    return k ? hs_binop(b, Iop_Add64, e, hs_const(k)) : e;
}

static inline IRExpr *hs_shift(struct hs_superblock *b, IROp op, IRExpr *e, UInt by) {
    return hs_binop(b, op, e, IRExpr_Const(IRConst_U8(by)));
}

static inline IRExpr *hs_load64(struct hs_superblock *b, IRExpr *address) {
    return hs_temp(b, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, address));
}

/* The byte there, zero-extended. */
static inline IRExpr *hs_load_byte(struct hs_superblock *b, IRExpr *address) {
    IRExpr *byte = hs_temp(b, Ity_I8, IRExpr_Load(Iend_LE, Ity_I8, address));
    return hs_unop(b, Iop_8Uto64, Ity_I64, byte);
}

static inline IRExpr *hs_get(struct hs_superblock *b, Int offset) {
    return hs_temp(b, Ity_I64, IRExpr_Get(offset, Ity_I64));
}

static inline Int hs_second_shadow(const struct hs_superblock *b, Int offset) {
    return 2 * b->guest_size + offset;
}

static inline IRExpr *hs_get_shadow(struct hs_superblock *b, enum hs_shadow word) {
    return hs_get(b, hs_second_shadow(b, word));
}

/* append.c: appends one record; the cursor moves on by `advance` (an atom, or NULL for 16). */
void hs_emit(struct hs_superblock *b, IRExpr *first, IRExpr *second, IRExpr *advance);
IRExpr *hs_cursor(struct hs_superblock *b);
void hs_set_cursor(struct hs_superblock *b, IRExpr *cursor);
void hs_check_room(struct hs_superblock *b);
/* A call of C code that may append records or flush. */
void hs_call_helper(struct hs_superblock *b, IRDirty *call);
void hs_call_if(struct hs_superblock *b, IRExpr *guard, const HChar *name, void *function,
                IRExpr **arguments);
/* Leaves the superblock at the current instruction if the flag is not 0, and has the translations
 * of [start, start + length) thrown away. */
void hs_leave_if(struct hs_superblock *b, IRExpr *flag, IRExpr *start, ULong length);
/* The helper reads, or reads and writes, 8 bytes of the guest state. */
void hs_reads_state(IRDirty *call, Int offset);
void hs_modifies_state(IRDirty *call, Int offset);

#endif
