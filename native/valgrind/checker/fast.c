/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fast code: expects everything to be defined. Where it begins no register that it touches may be
 * undefined, and what it loads must not be; else it is left, before the instruction has had any
 * effect, for slow code. So no bit of any value needs to be followed, and what is stored is
 * defined.
 *
 * What was found to be defined, or stored, stays so to the end of the superblock, and is not looked
 * at again. Instructions that are rare, or touch memory in more than one way, are left to slow
 * code.
 */
#include "checker/ahead.h"
#include "checker/checker.h"
#include "checker/fragments.h"
#include "checker/known.h"
#include "checker/stack.h"
#include "checker/values.h"
#include "shared/options.h"
#include "walk/twins.h"

#define MOST_INLINE 256 /* bytes of stack whose states are set by generated code */

static Bool had_effect; /* the instruction, so far */

static void leave(struct hs_superblock *b, IRExpr *when) {
    hs_stmt(b, IRStmt_Exit(when, Ijk_Boring, IRConst_U64(b->instruction + HS_TWIN), HS_OFFSET_RIP));
}

/* The instruction is not for fast code, and neither is the rest. */
static void give_up(struct hs_superblock *b) {
    b->left = True;
}

/* ---- registers ---- */

static ULong bits_of(Int offset, Int size) {
    ULong groups = 0;
    for (Int i = 0; i < size; i += 8) {
        Int group = hs_group_of(offset + i);
        if (group >= 0)
            groups |= 1ull << group;
    }
    return groups;
}

static ULong groups_of_array(const IRRegArray *array) {
    return bits_of(array->base, (Int)sizeofIRType(array->elemTy) * array->nElems);
}

static ULong groups_of_helper(const IRDirty *call) {
    ULong groups = 0;
    for (Int i = 0; i < call->nFxState; i++)
        for (Int r = 0; r <= call->fxState[i].nRepeats; r++)
            groups |= bits_of(call->fxState[i].offset + r * call->fxState[i].repeatLen,
                              call->fxState[i].size);
    return groups;
}

static ULong groups_of(const struct hs_superblock *b, const IRStmt *s) {
    const IRExpr *e;
    switch (s->tag) {
    case Ist_Put:
        return bits_of(s->Ist.Put.offset,
                       sizeofIRType(typeOfIRExpr(b->in->tyenv, s->Ist.Put.data)));
    case Ist_PutI:
        return groups_of_array(s->Ist.PutI.details->descr);
    case Ist_Dirty:
        return groups_of_helper(s->Ist.Dirty.details);
    case Ist_WrTmp:
        e = s->Ist.WrTmp.data;
        if (e->tag == Iex_Get)
            return bits_of(e->Iex.Get.offset, sizeofIRType(e->Iex.Get.ty));
        return e->tag == Iex_GetI ? groups_of_array(e->Iex.GetI.descr) : 0;
    default:
        return 0;
    }
}

static void look_ahead(struct hs_superblock *b) {
    hs_stack_begin(b);
    hs_known_begin(b);
    hs_ahead_begin(b);
    hs_stack_end();
    hs_known_end();
    hs_stack_begin(b);
    hs_known_begin(b);
}

static void start_block(struct hs_superblock *b) {
    ULong groups = b->stub ? b->stub_arguments | b->stub_uses.what | 1 : 0;
    IRExpr *undefined;
    look_ahead(b); /* what functions the tool does is known by now */
    for (Int i = 0; i < b->in->stmts_used; i++)
        groups |= groups_of(b, b->in->stmts[i]);
    if (!groups)
        return;
    undefined = hs_binop(b, Iop_And64, hs_get_shadow(b, HS_SHADOW_UNDEFINED), hs_const(groups));
    b->instruction = b->start;
    leave(b, hs_test(b, Iop_CmpNE64, undefined, hs_const(0)));
    b->instruction = 0;
}

/* ---- memory ---- */

/* On the stack that is in use everything can be stored to. */
static Bool is_on_stack(const IRExpr *address, UInt size) {
    Long distance;
    return hs_stack_distance(address, &distance) && distance >= -HS_RED_ZONE &&
           (size < 4 || distance % 4 == 0);
}

/* What was tested, which need not be all that the span reaches over. */
static void know_span(const IRExpr *address, struct hs_span span) {
    for (Long i = span.low; i < span.high; i++)
        if (span.states >> 2 * (i - span.low) & 1)
            hs_know(address, i, i + 1);
}

static void load(struct hs_superblock *b, IRExpr *address, UInt size) {
    struct hs_span span;
    if (hs_is_known(address, size))
        return;
    if (had_effect || b->preceded) {
        give_up(b);
        return;
    }
    span = hs_loads_ahead(b, address, size);
    if (span.high - span.low > size) {
        leave(b, hs_loads_need_look(b, address, span, is_on_stack(address, size)));
        know_span(address, span);
        return;
    }
    leave(b, hs_load_needs_look(b, address, size, is_on_stack(address, size)));
    hs_know(address, 0, size);
}

static void before_store(struct hs_superblock *b, IRExpr *address, UInt size) {
    if (hs_is_known(address, size) || is_on_stack(address, size))
        return;
    if (had_effect || b->preceded)
        give_up(b);
    else
        leave(b, hs_store_needs_look(b, address, size, False));
}

/* ---- the stack ---- */

static void set_range(Addr start, ULong length, ULong state) {
    hs_set_states(start, length, (enum hs_state)state);
}

/* `from` is an address that is a multiple of 8. */
static void set_states(struct hs_superblock *b, IRExpr *from, Long length, enum hs_state state) {
    IRExpr *at, *word;
    if (length <= 0)
        return;
    if (length > MOST_INLINE || length % 8) {
        hs_call_if(b, IRExpr_Const(IRConst_U1(True)), "hs_set_range", set_range,
                   mkIRExprVec_3(from, hs_const(length), hs_const(state)));
        return;
    }
    at =
        hs_binop(b, Iop_Add64, hs_shift(b, Iop_Shr64, from, 2), hs_get_shadow(b, HS_SHADOW_STATES));
    word = state == HS_FRESH ? hs_get_shadow(b, HS_SHADOW_FRESH)
                             : hs_const(state == HS_DEFINED ? 0 : ~0ull);
    for (Long done = 0; done < length;) {
        Long left = length - done;
        ULong states = state * 0x55555555ull;
        IRExpr *value = left < 16   ? IRExpr_Const(IRConst_U16(states))
                        : left < 32 ? IRExpr_Const(IRConst_U32(states))
                                    : word;
        hs_stmt(b, IRStmt_Store(Iend_LE, hs_add(b, at, (ULong)done / 4), value));
        done += left < 16 ? 8 : left < 32 ? 16 : 32;
    }
}

static void after_store(struct hs_superblock *b, IRExpr *address, UInt size) {
    struct hs_span span = {0, size, 0};
    if (hs_is_known(address, size))
        return;
    if (is_on_stack(address, size))
        span = hs_pushes_ahead(b, address, size);
    if (span.high - span.low > size)
        set_states(b, hs_add(b, address, (ULong)span.low), span.high - span.low, HS_DEFINED);
    else
        hs_make_stored_defined(b, address, size);
    hs_know(address, span.low, span.high);
}

static void stack_pointer_is_set(struct hs_superblock *b, const IRStmt *s) {
    IRExpr *after = s->Ist.Put.data;
    Long distance;
    enum hs_stack_change change = hs_stack_is_set(s, &distance);
    struct hs_stack_work work;
    if (change != HS_BY_CONSTANT || hs_options.without & HS_INLINE_STACK) {
        hs_stack_changes(b, after, change);
        return;
    }
    work = hs_stack_work_at(b);
    set_states(b, hs_add(b, after, (ULong)(work.fresh - HS_RED_ZONE)), work.n_fresh, HS_FRESH);
    set_states(b, hs_add(b, after, (ULong)(work.gone - HS_RED_ZONE)), work.n_gone,
               HS_UNADDRESSABLE);
}

/* ---- the pass ---- */

static UInt size_of(const struct hs_superblock *b, const IRExpr *value) {
    return sizeofIRType(typeOfIRExpr(b->in->tyenv, value));
}

static void before_statement(struct hs_superblock *b, const IRStmt *s) {
    const IRCAS *swap;
    switch (s->tag) {
    case Ist_WrTmp:
        hs_stack_follow(s);
        hs_known_follow(s);
        if (s->Ist.WrTmp.data->tag == Iex_Load)
            load(b, s->Ist.WrTmp.data->Iex.Load.addr, sizeofIRType(s->Ist.WrTmp.data->Iex.Load.ty));
        break;
    case Ist_Put:
        if (s->Ist.Put.offset == HS_OFFSET_RSP)
            stack_pointer_is_set(b, s);
        had_effect |= s->Ist.Put.offset != HS_OFFSET_RIP;
        break;
    case Ist_Store:
        before_store(b, s->Ist.Store.addr, size_of(b, s->Ist.Store.data));
        break;
    case Ist_CAS:
        swap = s->Ist.CAS.details;
        if (swap->dataHi)
            give_up(b);
        else
            load(b, swap->addr, size_of(b, swap->dataLo));
        break;
    case Ist_Dirty:
        if (s->Ist.Dirty.details->mFx != Ifx_None)
            give_up(b);
        had_effect = True;
        break;
    case Ist_AbiHint:
        set_states(b, s->Ist.AbiHint.base, s->Ist.AbiHint.len, HS_FRESH);
        break;
    case Ist_PutI:
        had_effect = True;
        break;
    case Ist_LoadG:
    case Ist_StoreG:
    case Ist_LLSC:
        give_up(b);
        break;
    default:
        break;
    }
}

static void after_statement(struct hs_superblock *b, const IRStmt *s) {
    if (s->tag == Ist_Store)
        after_store(b, s->Ist.Store.addr, size_of(b, s->Ist.Store.data));
    had_effect |= s->tag == Ist_Store || s->tag == Ist_CAS;
}

static void start_instruction(struct hs_superblock *b) {
    had_effect = False;
    if (b->number == b->stub) /* which may do anything to memory */
        hs_know_nothing();
}

static Bool examine(struct hs_superblock *b) {
    return True;
}

static void forget(void) {
    hs_stack_end();
    hs_known_end();
    hs_ahead_end();
}

const struct hs_pass hs_fast_code = {.examine = examine,
                                     .start_block = start_block,
                                     .start_instruction = start_instruction,
                                     .before_statement = before_statement,
                                     .after_statement = after_statement,
                                     .forget = forget};
