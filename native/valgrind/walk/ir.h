/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small words for building flat IR, and the state of the superblock being instrumented. */
#ifndef HEAPSTORY_IR_H
#define HEAPSTORY_IR_H

#include "shared/recorder.h"

#define HS_OFFSET_RAX offsetof(VexGuestAMD64State, guest_RAX)
#define HS_OFFSET_RCX offsetof(VexGuestAMD64State, guest_RCX)
#define HS_OFFSET_RDX offsetof(VexGuestAMD64State, guest_RDX)
#define HS_OFFSET_RSP offsetof(VexGuestAMD64State, guest_RSP)
#define HS_OFFSET_RBP offsetof(VexGuestAMD64State, guest_RBP)
#define HS_OFFSET_RSI offsetof(VexGuestAMD64State, guest_RSI)
#define HS_OFFSET_RDI offsetof(VexGuestAMD64State, guest_RDI)
#define HS_OFFSET_RIP offsetof(VexGuestAMD64State, guest_RIP)
#define HS_OFFSET_R15 offsetof(VexGuestAMD64State, guest_R15)

/* One superblock on its way through the instrumenter. */
struct hs_block_state {
    IRSB *out;
    IRExpr *ring;     /* atom holding the ring's address, NULL when it must be loaded again */
    IRExpr *cursor;   /* the same for the cursor */
    Addr instruction; /* address of the current one */
    UInt length;      /* of it */
    Bool own, preload;
    Bool recording;  /* and not the allocator's, where that is left out */
    Bool appends;    /* records may be appended */
    Int shadow;      /* offset of the shadow state */
    Bool places;     /* some instruction in it is named by an option */
    UChar *is_stack; /* per temporary: computed from the stack pointer by constants */
    /* Modes portable and internals, else NULL: */
    IRExpr **definition;    /* per temporary: what it is, NULL if no expression is */
    struct hs_bases *bases; /* checks to insert */
    struct hs_links *links; /* of free lists */
    struct hs_walks *walks; /* pointers that step on */
};

static inline IRExpr *hs_const(ULong value) {
    return IRExpr_Const(IRConst_U64(value));
}

static inline void hs_stmt(struct hs_block_state *b, IRStmt *s) {
    addStmtToIRSB(b->out, s);
}

static inline IRExpr *hs_temp(struct hs_block_state *b, IRType type, IRExpr *e) {
    IRTemp t = newIRTemp(b->out->tyenv, type);
    hs_stmt(b, IRStmt_WrTmp(t, e));
    return IRExpr_RdTmp(t);
}

static inline IRExpr *hs_binop(struct hs_block_state *b, IROp op, IRExpr *x, IRExpr *y) {
    return hs_temp(b, Ity_I64, IRExpr_Binop(op, x, y));
}

static inline IRExpr *hs_add(struct hs_block_state *b, IRExpr *e, ULong k) {
    return k ? hs_binop(b, Iop_Add64, e, hs_const(k)) : e;
}

static inline IRExpr *hs_load64(struct hs_block_state *b, IRExpr *address) {
    return hs_temp(b, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, address));
}

static inline IRExpr *hs_get(struct hs_block_state *b, Int offset) {
    return hs_temp(b, Ity_I64, IRExpr_Get(offset, Ity_I64));
}

/* walk.c: appends one record; the cursor moves on by `advance` (an atom, or NULL for 16). */
void hs_emit(struct hs_block_state *b, IRExpr *first, IRExpr *second, IRExpr *advance);
IRExpr *hs_cursor(struct hs_block_state *b);
void hs_set_cursor(struct hs_block_state *b, IRExpr *cursor);
/* A call of C code that may append records or flush. */
void hs_call_helper(struct hs_block_state *b, IRDirty *call);

/* strings.c: number of the stub at this instruction, or -1. */
Int hs_stub_at(Addr code, UInt length);
void hs_instrument_stub(struct hs_block_state *b, Int number);

/* rep.c */
Bool hs_instrument_rep(struct hs_block_state *b, const IRSB *in, Int mark);

/* section.c */
Bool hs_place_in_block(const IRSB *in);
void hs_instrument_places(struct hs_block_state *b);
void hs_instrument_exit_places(struct hs_block_state *b);

/* watch.c */
Bool hs_watched_starts(Addr code);
void hs_instrument_watched(struct hs_block_state *b, const IRSB *in);

/* sums.c */
#define HS_LEAVES 3
struct hs_sum {
    IRExpr *leaf[HS_LEAVES];
    UInt n;
    Long constant;
    Bool indexed; /* and something that is no pointer */
    Bool skip;    /* not to be looked at */
};
void hs_find_definitions(struct hs_block_state *b, const IRSB *in);
struct hs_sum hs_sum_of(const struct hs_block_state *b, IRExpr *address);
Bool hs_is_same(const struct hs_block_state *b, const IRExpr *x, const IRExpr *y); /* value */

/* derived.c */
Bool hs_derives(const struct hs_block_state *b, const IRSB *in);
void hs_note_derived(struct hs_block_state *b, const IRStmt *s);
Bool hs_may_be_derived(const struct hs_block_state *b, const IRExpr *leaf);
IRExpr *hs_derived_base(struct hs_block_state *b, IRExpr *leaf); /* 0 if it is not, when it runs */

/* steps.c */
void hs_find_walks(struct hs_block_state *b, const IRSB *in);
void hs_instrument_walks(struct hs_block_state *b, Int statement);

/* free_lists.c */
void hs_find_free_lists(struct hs_block_state *b, const IRSB *in);
Bool hs_is_link(const struct hs_block_state *b, Int statement);
void hs_prepare_links(struct hs_block_state *b, Int statement);    /* before it */
void hs_instrument_links(struct hs_block_state *b, Int statement); /* behind it */

/* bases.c */
void hs_find_bases(struct hs_block_state *b, const IRSB *in);
void hs_forget_bases(struct hs_block_state *b);
Bool hs_has_bases(const struct hs_block_state *b);
void hs_check_accesses(struct hs_block_state *b, Int statement);
IRExpr *hs_map_byte(struct hs_block_state *b, IRExpr *map, IRExpr *address); /* of a byte map */
IRExpr *hs_owner_at(struct hs_block_state *b, IRExpr *address);
void hs_call_if(struct hs_block_state *b, IRExpr *guard, const HChar *name, void *function,
                IRExpr **arguments);
void hs_check_pointer(struct hs_block_state *b, IRExpr *address, IRExpr *value, IRExpr *advance,
                      ULong site);

/* candidates.c */
Bool hs_begins_function(const struct hs_block_state *b, Addr code);
void hs_instrument_function(struct hs_block_state *b, const IRSB *in);
void hs_instrument_result(struct hs_block_state *b, IRExpr *next); /* at a return */

/* receivers.c */
void hs_find_receiver(const IRSB *in, Addr start);

/* calls.c */
void hs_instrument_call(struct hs_block_state *b, IRExpr *target);
void hs_instrument_return(struct hs_block_state *b, IRExpr *next);
Bool hs_wants_call(Bool own, IRExpr *target);

#endif
