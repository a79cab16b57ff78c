/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slow code: follows the undefined bits of every value, and where they came from, through
 * temporaries, registers and memory (slow_values.c), and tells where something depends on one.
 *
 * What a value depends on is asked of conditional exits, addresses, where to jump, and what helpers
 * of the simulated processor (slow_helpers.c) are given. After it was told of a temporary, that
 * counts as defined.
 */
#include "checker/slow.h"

#include "checker/checker.h"
#include "checker/fragments.h"
#include "checker/stack.h"

/* ---- expressions ---- */

static struct hs_value operation(struct hs_superblock *b, IROp op, IRType result, UInt n,
                                 IRExpr *argument[]) {
    struct hs_operation o = {.op = op, .result = hs_bits_type(result), .n = n};
    struct hs_value value = HS_NO_VALUE;
    for (UInt i = n; i-- > 0;) {
        struct hs_value each = hs_value_of(argument[i]);
        o.type[i] = hs_bits_type(hs_type_of(b, argument[i]));
        o.argument[i] = argument[i];
        o.undefined[i] = each.undefined;
        if (!each.undefined)
            continue;
        if (value.origin)
            value.origin = hs_temp(
                b, Ity_I64,
                IRExpr_ITE(hs_any_bit(b, o.type[i], each.undefined), each.origin, value.origin));
        else
            value.origin = each.origin;
    }
    value.undefined = hs_bits_of_operation(b, &o);
    return value;
}

/* A helper of the simulated processor: all of its result is undefined as soon as anything that it
 * is given is, but for arguments that it does not look at. */
static struct hs_value call(struct hs_superblock *b, const IRExpr *e) {
    struct hs_value value = HS_NO_VALUE;
    for (UInt i = 0; e->Iex.CCall.args[i]; i++) {
        IRExpr *argument = e->Iex.CCall.args[i];
        struct hs_value each = hs_value_of(argument), any;
        if (!each.undefined || e->Iex.CCall.cee->mcx_mask >> i & 1)
            continue;
        any.undefined = hs_any_bit(b, hs_bits_type(hs_type_of(b, argument)), each.undefined);
        any.origin = each.origin;
        value.origin = hs_origin_of_both(b, Ity_I1, any, value);
        value.undefined = hs_bits_or(b, Ity_I1, value.undefined, any.undefined);
    }
    value.undefined = hs_bits_spread(b, value.undefined, hs_bits_type(e->Iex.CCall.retty));
    return value;
}

static struct hs_value choice(struct hs_superblock *b, const IRExpr *e) {
    IRExpr *condition = e->Iex.ITE.cond;
    struct hs_value yes = hs_value_of(e->Iex.ITE.iftrue), no = hs_value_of(e->Iex.ITE.iffalse),
                    which = hs_value_of(condition);
    IRType bits = hs_bits_type(hs_type_of(b, e->Iex.ITE.iftrue));
    struct hs_value value = HS_NO_VALUE;
    if (yes.undefined || no.undefined) {
        value.undefined = hs_temp(b, bits,
                                  IRExpr_ITE(condition, hs_bits_or_none(b, bits, yes.undefined),
                                             hs_bits_or_none(b, bits, no.undefined)));
        value.origin = hs_temp(b, Ity_I64,
                               IRExpr_ITE(condition, yes.undefined ? yes.origin : hs_const(0),
                                          no.undefined ? no.origin : hs_const(0)));
    }
    if (!which.undefined)
        return value;
    which.undefined = hs_bits_spread(b, which.undefined, bits);
    value.origin = hs_origin_of_both(b, bits, which, value);
    value.undefined = hs_bits_or(b, bits, value.undefined, which.undefined);
    return value;
}

static struct hs_value expression(struct hs_superblock *b, IRExpr *e) {
    IRType type = hs_type_of(b, e);
    switch (e->tag) {
    case Iex_RdTmp:
        return hs_value_of(e);
    case Iex_Get:
        return hs_get_value(b, e->Iex.Get.offset, type);
    case Iex_GetI:
        return hs_get_indexed(b, e);
    case Iex_Load:
        return hs_value_loaded(b, e->Iex.Load.addr, type, NULL, False);
    case Iex_Unop:
        return operation(b, e->Iex.Unop.op, type, 1, &e->Iex.Unop.arg);
    case Iex_Binop:
        return operation(b, e->Iex.Binop.op, type, 2,
                         (IRExpr *[]){e->Iex.Binop.arg1, e->Iex.Binop.arg2});
    case Iex_Triop: {
        const IRTriop *t = e->Iex.Triop.details;
        return operation(b, t->op, type, 3, (IRExpr *[]){t->arg1, t->arg2, t->arg3});
    }
    case Iex_Qop: {
        const IRQop *q = e->Iex.Qop.details;
        return operation(b, q->op, type, 4, (IRExpr *[]){q->arg1, q->arg2, q->arg3, q->arg4});
    }
    case Iex_CCall:
        return call(b, e);
    case Iex_ITE:
        return choice(b, e);
    default:
        return HS_NO_VALUE;
    }
}

/* ---- statements ---- */

static void guarded_load(struct hs_superblock *b, const IRLoadG *details) {
    IRType result, loaded, bits;
    struct hs_value value, other = hs_value_of(details->alt);
    typeOfIRLoadGOp(details->cvt, &result, &loaded);
    tl_assert(result == loaded); /* as all of amd64's are */
    bits = hs_bits_type(result);
    hs_check_atom(b, HSW_UNDEFINED_CONDITION, details->guard);
    value = hs_value_loaded(b, details->addr, loaded, details->guard, False);
    if (other.undefined) {
        value.undefined =
            hs_temp(b, bits, IRExpr_ITE(details->guard, value.undefined, other.undefined));
        value.origin = hs_temp(b, Ity_I64, IRExpr_ITE(details->guard, value.origin, other.origin));
    }
    hs_set_value(details->dst, value);
}

static void guarded_store(struct hs_superblock *b, const IRStoreG *details) {
    hs_check_atom(b, HSW_UNDEFINED_CONDITION, details->guard);
    hs_check_atom(b, HSW_UNDEFINED_ADDRESS, details->addr);
    hs_store_value(b, details->addr, hs_type_of(b, details->data), hs_value_of(details->data),
                   details->guard);
}

static void before_swap(struct hs_superblock *b, const IRCAS *details) {
    IRType type = hs_type_of(b, details->dataLo);
    hs_check_atom(b, HSW_UNDEFINED_ADDRESS, details->addr);
    hs_set_value(details->oldLo, hs_value_loaded(b, details->addr, type, NULL, True));
    if (details->dataHi)
        hs_set_value(
            details->oldHi,
            hs_value_loaded(b, hs_add(b, details->addr, sizeofIRType(type)), type, NULL, True));
}

static void after_swap(struct hs_superblock *b, const IRCAS *details) {
    IRType type = hs_type_of(b, details->dataLo);
    IRExpr *succeeded = hs_cas_succeeded(b, details);
    hs_store_value_if(b, details->addr, type, hs_value_of(details->dataLo), succeeded);
    if (details->dataHi)
        hs_store_value_if(b, hs_add(b, details->addr, sizeofIRType(type)), type,
                          hs_value_of(details->dataHi), succeeded);
}

static void red_zone(Addr start, ULong length) {
    hs_set_states(start, length, HS_FRESH);
}

static void before_statement(struct hs_superblock *b, const IRStmt *s) {
    Long distance;
    switch (s->tag) {
    case Ist_WrTmp:
        hs_stack_follow(s);
        hs_set_value(s->Ist.WrTmp.tmp, expression(b, s->Ist.WrTmp.data));
        break;
    case Ist_Put:
        if (s->Ist.Put.offset == HS_OFFSET_RSP) {
            hs_check_atom(b, HSW_UNDEFINED_ADDRESS, s->Ist.Put.data);
            hs_stack_changes(b, s->Ist.Put.data, hs_stack_is_set(s, &distance));
        } else
            hs_put_value(b, s->Ist.Put.offset, hs_type_of(b, s->Ist.Put.data),
                         hs_value_of(s->Ist.Put.data));
        break;
    case Ist_PutI:
        hs_put_indexed(b, s->Ist.PutI.details);
        break;
    case Ist_Store:
        hs_check_atom(b, HSW_UNDEFINED_ADDRESS, s->Ist.Store.addr);
        hs_store_value(b, s->Ist.Store.addr, hs_type_of(b, s->Ist.Store.data),
                       hs_value_of(s->Ist.Store.data), NULL);
        break;
    case Ist_LoadG:
        guarded_load(b, s->Ist.LoadG.details);
        break;
    case Ist_StoreG:
        guarded_store(b, s->Ist.StoreG.details);
        break;
    case Ist_CAS:
        before_swap(b, s->Ist.CAS.details);
        break;
    case Ist_Dirty:
        hs_before_helper(b, s->Ist.Dirty.details);
        break;
    case Ist_AbiHint:
        hs_call_if(b, hs_always(), "hs_red_zone", red_zone,
                   mkIRExprVec_2(s->Ist.AbiHint.base, hs_const(s->Ist.AbiHint.len)));
        break;
    case Ist_Exit:
        hs_check_atom(b, HSW_UNDEFINED_CONDITION, s->Ist.Exit.guard);
        hs_tell_groups(b, hs_groups_written(), s->Ist.Exit.guard);
        break;
    default:
        break;
    }
}

static void after_statement(struct hs_superblock *b, const IRStmt *s) {
    if (s->tag == Ist_CAS)
        after_swap(b, s->Ist.CAS.details);
    else if (s->tag == Ist_Dirty)
        hs_after_helper(b, s->Ist.Dirty.details);
}

/* ---- what the tool does itself ---- */

static void check_register(struct hs_superblock *b, UInt number) {
    Int offset = HS_OFFSET_RAX + 8 * (Int)number;
    hs_tell_value(b, HSW_UNDEFINED_CONDITION, Ity_I64, hs_get_value(b, offset, Ity_I64));
}

static void remember_fill(struct hs_superblock *b, Int offset) {
    struct hs_value value = hs_get_value(b, offset, Ity_I8);
    hs_stmt(b, IRStmt_Store(Iend_LE, hs_const((Addr)&hs_filled_with.undefined),
                            hs_unop(b, Iop_8Uto64, Ity_I64, value.undefined)));
    hs_stmt(b, IRStmt_Store(Iend_LE, hs_const((Addr)&hs_filled_with.origin), value.origin));
}

/* `rep movs`, `rep stos`: the last byte says which. */
static void check_repeated(struct hs_superblock *b) {
    UInt copies = *(UChar *)(b->instruction + b->length - 1) < 0xAA;
    check_register(b, 1); /* rcx, rdi, rsi */
    check_register(b, 7);
    if (copies)
        check_register(b, 6);
    else
        remember_fill(b, HS_OFFSET_RAX);
    hs_tell_groups(b, hs_groups_written(), NULL); /* its exit is not asked about */
}

static void start_instruction(struct hs_superblock *b) {
    if (b->replaced >= 0 && b->replaced == b->statement)
        check_repeated(b);
    if (b->number != b->stub)
        return;
    for (UInt i = 0; i < 16; i++)
        if (b->stub_arguments >> i & 1)
            check_register(b, i);
    if (b->stub_uses.what)
        remember_fill(b, HS_OFFSET_RSI);
    hs_put_value(b, HS_OFFSET_RAX, Ity_I64, HS_NO_VALUE);
}

/* ---- the pass ---- */

static Bool examine(struct hs_superblock *b) {
    hs_values_begin(b);
    hs_stack_begin(b);
    return True;
}

/* The address it was entered by is its twin's. */
static void start_block(struct hs_superblock *b) {
    if (b->slow)
        hs_stmt(b, IRStmt_Put(HS_OFFSET_RIP, hs_const(b->start)));
}

static void end_block(struct hs_superblock *b) {
    hs_check_atom(b, HSW_UNDEFINED_ADDRESS, b->in->next);
    hs_tell_groups(b, hs_groups_written(), NULL);
}

static void forget(void) {
    hs_values_end();
    hs_stack_end();
}

const struct hs_pass hs_slow_code = {.examine = examine,
                                     .start_block = start_block,
                                     .start_instruction = start_instruction,
                                     .before_statement = before_statement,
                                     .after_statement = after_statement,
                                     .end_block = end_block,
                                     .forget = forget};
