/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instrumentation: every store that may hit the heap or module data appends a record by inline
 * code.
 *
 * A record is written at the cursor whether it counts or not; whether it counts is decided by how
 * far the cursor then moves, which is the page map's byte for the stored address: no branch. The
 * cursor is stored after every record, so it is right whenever a later instruction faults. Whether
 * the segment is full is asked once per superblock, at its start, where no value is alive yet and a
 * call is cheap.
 *
 * Left out: stores at a constant distance from the stack pointer (a stack that was itself allocated
 * on the heap is therefore not recorded as heap contents); the second page of a store that
 * straddles two pages when its first one is not recorded.
 */
#include "discovery/nodes.h"
#include "walk/ir.h"

static UInt n_sites;

UInt hs_mode = HSW_ALLOCATIONS;

UInt hs_new_site(Addr instruction, UInt size, UInt kind, Bool own) {
    UInt id;
    if (n_sites + 1 >= HSW_FIRST_TAG)
        return 0;
    id = ++n_sites;
    hs_record(HSW_SITE, instruction, HSW_SITE_VALUE(id, size, kind, own ? HSW_SITE_OWN : 0));
    return id;
}

/* ---- appending ---- */

/* The ring's address comes from the thread's shadow state: generated code reaches that by a short
 * displacement, while a 64-bit constant costs an instruction of ten bytes each time. */
static IRExpr *ring_address(struct hs_block_state *b) {
    return hs_get(b, b->shadow + HS_SHADOW_RING);
}

IRExpr *hs_cursor(struct hs_block_state *b) {
    if (!b->ring)
        b->ring = ring_address(b);
    if (!b->cursor)
        b->cursor = hs_load64(b, hs_add(b, b->ring, offsetof(struct hsw_ring, cursor)));
    return b->cursor;
}

void hs_set_cursor(struct hs_block_state *b, IRExpr *cursor) {
    hs_stmt(b,
            IRStmt_Store(Iend_LE, hs_add(b, b->ring, offsetof(struct hsw_ring, cursor)), cursor));
    b->cursor = cursor;
}

void hs_emit(struct hs_block_state *b, IRExpr *first, IRExpr *second, IRExpr *advance) {
    IRExpr *cursor = hs_cursor(b);
    hs_stmt(b, IRStmt_Store(Iend_LE, cursor, first));
    hs_stmt(b, IRStmt_Store(Iend_LE, hs_add(b, cursor, 8), second));
    hs_set_cursor(b, hs_binop(b, Iop_Add64, cursor, advance ? advance : hs_const(16)));
}

void hs_call_helper(struct hs_block_state *b, IRDirty *call) {
    hs_stmt(b, IRStmt_Dirty(call));
    b->cursor = b->ring = NULL; /* better loaded again than kept across a call */
}

static void check_room(struct hs_block_state *b) {
    IRExpr *ring = ring_address(b);
    IRExpr *cursor = hs_load64(b, hs_add(b, ring, offsetof(struct hsw_ring, cursor)));
    IRExpr *limit = hs_load64(b, hs_add(b, ring, HS_LIMIT_OFFSET));
    IRDirty *call =
        unsafeIRDirty_0_N(0, "hs_flush", VG_(fnptr_to_fnentry)(hs_flush), mkIRExprVec_0());
    call->guard = hs_temp(b, Ity_I1, IRExpr_Binop(Iop_CmpLT64U, limit, cursor));
    hs_call_helper(b, call);
}

/* ---- stores ---- */

/* What the cursor moves by for a store at `address`, if `guard` (NULL: always) holds. */
static IRExpr *advance_for(struct hs_block_state *b, IRExpr *address, IRExpr *guard) {
    IRExpr *page, *byte, *advance;
    if (address->tag == Iex_Const && hs_page_is_on(address->Iex.Const.con->Ico.U64))
        advance = hs_const(HS_PAGE_ON);
    else {
        if (guard) /* a store that does not happen may have any address */
            address = hs_temp(b, Ity_I64, IRExpr_ITE(guard, address, hs_const(0)));
        page = hs_binop(b, Iop_Shr64, address, IRExpr_Const(IRConst_U8(HS_PAGE_BITS)));
        byte = hs_temp(
            b, Ity_I8,
            IRExpr_Load(Iend_LE, Ity_I8, hs_binop(b, Iop_Add64, page, hs_const((ULong)hs_pages))));
        advance = hs_temp(b, Ity_I64, IRExpr_Unop(Iop_8Uto64, byte));
    }
    if (guard)
        advance = hs_temp(b, Ity_I64, IRExpr_ITE(guard, advance, hs_const(0)));
    return advance;
}

static void store_word(struct hs_block_state *b, IRExpr *address, IRExpr *value, UInt size,
                       UInt kind, IRExpr *guard) {
    ULong site = hs_new_site(b->instruction, size, kind, b->own);
    IRExpr *first, *advance;
    if (address->tag == Iex_Const)
        first = hs_const(HSW_WORD(site, address->Iex.Const.con->Ico.U64 & HSW_ADDRESS_MASK));
    else
        first = hs_binop(b, Iop_Or64, address, hs_const(HSW_WORD(site, 0)));
    advance = advance_for(b, address, guard);
    if (size == 8)
        hs_check_pointer(b, address, value, advance, site);
    hs_emit(b, first, value, advance);
}

static IRExpr *unop(struct hs_block_state *b, IROp op, IRType type, IRExpr *e) {
    return hs_temp(b, type, IRExpr_Unop(op, e));
}

/* The value as 64-bit words, lowest first; returns how many. */
static UInt words_of(struct hs_block_state *b, IRExpr *value, IRExpr *word[4]) {
    static const IROp parts[4] = {Iop_V256to64_0, Iop_V256to64_1, Iop_V256to64_2, Iop_V256to64_3};
    switch (typeOfIRExpr(b->out->tyenv, value)) {
    case Ity_I64:
        word[0] = value;
        return 1;
    case Ity_I32:
        word[0] = unop(b, Iop_32Uto64, Ity_I64, value);
        return 1;
    case Ity_I16:
        word[0] = unop(b, Iop_16Uto64, Ity_I64, value);
        return 1;
    case Ity_I8:
        word[0] = unop(b, Iop_8Uto64, Ity_I64, value);
        return 1;
    case Ity_F64:
        word[0] = unop(b, Iop_ReinterpF64asI64, Ity_I64, value);
        return 1;
    case Ity_F32:
        word[0] = unop(b, Iop_32Uto64, Ity_I64, unop(b, Iop_ReinterpF32asI32, Ity_I32, value));
        return 1;
    case Ity_V128:
        word[0] = unop(b, Iop_V128to64, Ity_I64, value);
        word[1] = unop(b, Iop_V128HIto64, Ity_I64, value);
        return 2;
    case Ity_I128:
        word[0] = unop(b, Iop_128to64, Ity_I64, value);
        word[1] = unop(b, Iop_128HIto64, Ity_I64, value);
        return 2;
    case Ity_V256:
        for (UInt i = 0; i < 4; i++)
            word[i] = unop(b, parts[i], Ity_I64, value);
        return 4;
    default:
        return 0;
    }
}

static IRExpr *offset_address(struct hs_block_state *b, IRExpr *address, ULong offset) {
    if (address->tag == Iex_Const)
        return hs_const(address->Iex.Const.con->Ico.U64 + offset);
    return hs_add(b, address, offset);
}

static void store(struct hs_block_state *b, IRExpr *address, IRExpr *value, IRExpr *guard) {
    UInt size = sizeofIRType(typeOfIRExpr(b->out->tyenv, value));
    IRExpr *word[4];
    UInt n = words_of(b, value, word);
    for (UInt i = 0; i < n; i++)
        store_word(b, offset_address(b, address, 8 * i), word[i], size > 8 ? 8 : size,
                   i ? HSW_SITE_MORE : HSW_SITE_STORE, guard);
}

static IRExpr *equal(struct hs_block_state *b, IRExpr *x, IRExpr *y) {
    IROp op = Iop_INVALID;
    switch (typeOfIRExpr(b->out->tyenv, x)) {
    case Ity_I8:
        op = Iop_CmpEQ8;
        break;
    case Ity_I16:
        op = Iop_CmpEQ16;
        break;
    case Ity_I32:
        op = Iop_CmpEQ32;
        break;
    case Ity_I64:
        op = Iop_CmpEQ64;
        break;
    default:
        VG_(tool_panic)("compare-and-swap of an unknown size");
    }
    return hs_temp(b, Ity_I1, IRExpr_Binop(op, x, y));
}

static void compare_and_swap(struct hs_block_state *b, const IRCAS *cas) {
    IRExpr *done = equal(b, IRExpr_RdTmp(cas->oldLo), cas->expdLo);
    IRExpr *word[4];
    UInt size = sizeofIRType(typeOfIRExpr(b->out->tyenv, cas->dataLo));
    if (cas->oldHi != IRTemp_INVALID) {
        IRExpr *high = equal(b, IRExpr_RdTmp(cas->oldHi), cas->expdHi);
        IRExpr *both = hs_binop(b, Iop_And64, unop(b, Iop_1Uto64, Ity_I64, done),
                                unop(b, Iop_1Uto64, Ity_I64, high));
        done = hs_temp(b, Ity_I1, IRExpr_Binop(Iop_CmpNE64, both, hs_const(0)));
    }
    words_of(b, cas->dataLo, word);
    store_word(b, cas->addr, word[0], size, HSW_SITE_STORE, done);
    if (cas->oldHi != IRTemp_INVALID) {
        words_of(b, cas->dataHi, word);
        store_word(b, offset_address(b, cas->addr, size), word[0], size, HSW_SITE_MORE, done);
    }
}

/* ---- memory written by helpers of the simulated processor (fxsave, fnstenv, ...) ---- */

static void helper_wrote(Addr address, SizeT size, ULong site) {
    hs_range(address, size, HSW_RANGE_COPY, site);
}

static void dirty_helper(struct hs_block_state *b, const IRDirty *details) {
    ULong site = hs_new_site(b->instruction, 0, HSW_SITE_RANGED, b->own);
    IRDirty *call =
        unsafeIRDirty_0_N(0, "hs_helper_wrote", VG_(fnptr_to_fnentry)(helper_wrote),
                          mkIRExprVec_3(details->mAddr, hs_const(details->mSize), hs_const(site)));
    call->guard = details->guard;
    hs_call_helper(b, call);
}

static Bool writes_memory(const IRDirty *details) {
    return details->mFx == Ifx_Write || details->mFx == Ifx_Modify;
}

/* ---- a superblock ---- */

/* Notes whether a temporary is the stack pointer plus or minus a constant (or aligned down). */
static void follow_stack_pointer(struct hs_block_state *b, const IRStmt *s) {
    const IRExpr *e, *x;
    if (s->tag != Ist_WrTmp)
        return;
    e = s->Ist.WrTmp.data;
    x = NULL;
    if (e->tag == Iex_Get && e->Iex.Get.offset == HS_OFFSET_RSP && e->Iex.Get.ty == Ity_I64)
        b->is_stack[s->Ist.WrTmp.tmp] = 1;
    else if (e->tag == Iex_RdTmp)
        x = e;
    else if (e->tag == Iex_Binop && e->Iex.Binop.arg2->tag == Iex_Const &&
             (e->Iex.Binop.op == Iop_Add64 || e->Iex.Binop.op == Iop_Sub64 ||
              e->Iex.Binop.op == Iop_And64))
        x = e->Iex.Binop.arg1;
    if (x && x->tag == Iex_RdTmp)
        b->is_stack[s->Ist.WrTmp.tmp] = b->is_stack[x->Iex.RdTmp.tmp];
}

static Bool on_stack(const struct hs_block_state *b, const IRExpr *address) {
    return address->tag == Iex_RdTmp && b->is_stack[address->Iex.RdTmp.tmp];
}

static Bool wants(const struct hs_block_state *b, const IRStmt *s) {
    switch (s->tag) {
    case Ist_Store:
        return !on_stack(b, s->Ist.Store.addr);
    case Ist_StoreG:
        return !on_stack(b, s->Ist.StoreG.details->addr);
    case Ist_CAS:
        return !on_stack(b, s->Ist.CAS.details->addr);
    case Ist_Dirty:
        return writes_memory(s->Ist.Dirty.details) && !on_stack(b, s->Ist.Dirty.details->mAddr);
    default:
        return False;
    }
}

static void instrument_statement(struct hs_block_state *b, IRStmt *s) {
    switch (s->tag) {
    case Ist_Store:
        store(b, s->Ist.Store.addr, s->Ist.Store.data, NULL);
        break;
    case Ist_StoreG:
        store(b, s->Ist.StoreG.details->addr, s->Ist.StoreG.details->data,
              s->Ist.StoreG.details->guard);
        break;
    case Ist_CAS:
        compare_and_swap(b, s->Ist.CAS.details);
        break;
    case Ist_Dirty:
        dirty_helper(b, s->Ist.Dirty.details);
        break;
    default:
        break;
    }
}

/* Whether anything in the superblock appends a record; fills is_stack on the way. */
static Bool block_records(struct hs_block_state *b, const IRSB *in) {
    Bool found = False;
    for (Int i = 0; i < in->stmts_used; i++) {
        follow_stack_pointer(b, in->stmts[i]);
        found |= wants(b, in->stmts[i]);
    }
    if (in->jumpkind == Ijk_Call)
        found |= hs_wants_call(b->own, in->next);
    b->appends = found || (in->jumpkind == Ijk_Ret && b->own); /* else at most takes back */
    return found || in->jumpkind == Ijk_Ret;
}

/* Whether the superblock is changed at all. */
static Bool block_changes(struct hs_block_state *b, const IRSB *in, Addr start) {
    Bool records = b->recording && block_records(b, in);
    if (b->recording && hs_mode != HSW_ALLOCATIONS)
        hs_find_bases(b, in);
    return records || b->preload || hs_has_bases(b) || hs_place_in_block(in) ||
           (b->bases && hs_derives(b, in)) || hs_watched_starts(start) ||
           hs_begins_function(b, start);
}

static void copy_statement(struct hs_block_state *b, const IRSB *in, Int i) {
    hs_check_accesses(b, i);
    hs_prepare_links(b, i);
    hs_instrument_walks(b, i);
    hs_stmt(b, in->stmts[i]);
    hs_note_derived(b, in->stmts[i]);
    if (b->recording && wants(b, in->stmts[i]))
        instrument_statement(b, in->stmts[i]);
    hs_instrument_links(b, i);
}

/* The start of an instruction; True if it was replaced together with the rest of the superblock. */
static Bool start_instruction(struct hs_block_state *b, const IRSB *in, Int mark, Bool first) {
    Int stub;
    hs_stmt(b, in->stmts[mark]);
    b->instruction = in->stmts[mark]->Ist.IMark.addr;
    b->length = in->stmts[mark]->Ist.IMark.len;
    if (first) {
        hs_instrument_watched(b, in);
        hs_instrument_function(b, in);
    }
    if (b->places)
        hs_instrument_places(b);
    if (b->recording && hs_instrument_rep(b, in, mark))
        return True;
    if (b->preload && (stub = hs_stub_at(b->instruction, b->length)) >= 0)
        hs_instrument_stub(b, stub);
    return False;
}

static void end_block(struct hs_block_state *b, const IRSB *in) {
    if (in->jumpkind == Ijk_Ret && b->places)
        hs_instrument_exit_places(b);
    if (!b->recording)
        return;
    if (in->jumpkind == Ijk_Call && hs_wants_call(b->own, in->next))
        hs_instrument_call(b, in->next);
    else if (in->jumpkind == Ijk_Ret) {
        hs_instrument_result(b, in->next);
        hs_instrument_return(b, in->next);
    }
}

static void forget(struct hs_block_state *b) {
    VG_(free)(b->is_stack);
    hs_forget_bases(b);
    VG_(free)(b->links);
    VG_(free)(b->walks);
}

IRSB *hs_instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                    const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
                    IRType host_word) {
    struct hs_block_state b = {0};
    Addr start = extents->base[0];
    Bool first = True, replaced = False;
    Int i = 0;
    b.own = hs_is_own(start);
    b.preload = hs_in_preload(start);
    b.recording = hs_recording && !hs_is_left_out(start);
    b.is_stack = VG_(calloc)("hs.stack", in->tyenv->types_used + 1, 1);
    if (b.recording && b.own)
        hs_find_receiver(in, start);
    if (!block_changes(&b, in, start)) {
        forget(&b);
        return in;
    }
    b.places = hs_place_in_block(in);
    b.out = deepCopyIRSBExceptStmts(in);
    while (i < in->stmts_used && in->stmts[i]->tag != Ist_IMark)
        hs_stmt(&b, in->stmts[i++]);
    b.shadow = layout->total_sizeB;
    if (b.appends)
        check_room(&b);
    for (; i < in->stmts_used && !replaced; i++)
        if (in->stmts[i]->tag == Ist_IMark) {
            replaced = start_instruction(&b, in, i, first);
            first = False;
        } else
            copy_statement(&b, in, i);
    if (!replaced)
        end_block(&b, in);
    forget(&b);
    return b.out;
}
