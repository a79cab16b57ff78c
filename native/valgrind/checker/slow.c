/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slow code: follows the undefined bits of every value, and where they came from, through
 * temporaries, registers and memory, and tells where something depends on one.
 *
 * What a value depends on is asked of conditional exits, addresses, where to jump, and what helpers
 * of the simulated processor are given. After it was told of a temporary, that counts as defined.
 */
#include "checker/bits.h"
#include "checker/checker.h"
#include "checker/fragments.h"
#include "checker/stack.h"
#include "checker/values.h"

/* Per temporary of the original superblock; NULL: none. */
static struct value {
    IRExpr *undefined; /* bits */
    IRExpr *origin;    /* an I64; means something where there are bits */
} * values;
static Int n_values;
static ULong written; /* groups of registers, since the superblock began */

#define NOTHING ((struct value){NULL, NULL})

static IRType type_of(struct hs_superblock *b, const IRExpr *e) {
    return typeOfIRExpr(b->out->tyenv, e);
}

static struct value of(const IRExpr *atom) {
    return atom->tag == Iex_RdTmp && (Int)atom->Iex.RdTmp.tmp < n_values
               ? values[atom->Iex.RdTmp.tmp]
               : NOTHING;
}

static void set(IRTemp temp, struct value value) {
    if (temp != IRTemp_INVALID)
        values[temp] = value;
}

/* The origin of the first that has undefined bits. */
static IRExpr *origin_of_both(struct hs_superblock *b, IRType type, struct value x,
                              struct value y) {
    if (!x.undefined || !y.undefined)
        return x.undefined ? x.origin : y.origin;
    return hs_temp(b, Ity_I64, IRExpr_ITE(hs_any_bit(b, type, x.undefined), x.origin, y.origin));
}

/* ---- telling ---- */

static void depends(Addr instruction, ULong kind, ULong origin, ULong own) {
    hs_tell_undefined((UInt)kind, (UInt)origin, instruction, (Bool)own, 0);
}

static void tell(struct hs_superblock *b, UInt kind, IRType type, struct value value) {
    if (value.undefined)
        hs_call_if(b, hs_any_bit(b, type, value.undefined), "hs_depends", depends,
                   mkIRExprVec_4(hs_const(b->instruction), hs_const(kind), value.origin,
                                 hs_const(b->own)));
}

static void check_atom(struct hs_superblock *b, UInt kind, const IRExpr *atom) {
    tell(b, kind, hs_bits_type(type_of(b, atom)), of(atom));
    if (atom->tag == Iex_RdTmp && (Int)atom->Iex.RdTmp.tmp < n_values)
        values[atom->Iex.RdTmp.tmp] = NOTHING;
}

/* ---- memory ---- */

static IRExpr *call_for(struct hs_superblock *b, IRExpr *guard, const HChar *name, void *function,
                        IRExpr **arguments) {
    IRTemp result = newIRTemp(b->out->tyenv, Ity_I64);
    IRDirty *call = unsafeIRDirty_1_N(result, 0, name, VG_(fnptr_to_fnentry)(function), arguments);
    call->guard = guard;
    hs_call_helper(b, call);
    return hs_temp(b, Ity_I64, IRExpr_ITE(guard, IRExpr_RdTmp(result), hs_const(0)));
}

static IRExpr *always(void) {
    return IRExpr_Const(IRConst_U1(True));
}

static struct value load(struct hs_superblock *b, IRExpr *address, IRType type, IRExpr *guard,
                         Bool is_swap) {
    UInt size = sizeofIRType(type);
    IRExpr *closer, *word[HS_WORDS], *what = hs_const(HS_ACCESS(size, is_swap, b->own));
    struct value value;
    check_atom(b, HSW_UNDEFINED_ADDRESS, address);
    if (guard) /* an access that does not happen may have any address */
        address = hs_temp(b, Ity_I64, IRExpr_ITE(guard, address, hs_const(0)));
    closer = hs_load_needs_look(b, address, size, False);
    if (guard)
        closer = hs_both(b, closer, guard);
    if (size <= 8)
        word[0] = call_for(b, closer, "hs_load_undefined", hs_load_undefined,
                           mkIRExprVec_3(address, hs_const(b->instruction), what));
    else {
        hs_call_if(b, closer, "hs_check_access", hs_check_access,
                   mkIRExprVec_3(address, hs_const(b->instruction), what));
        for (UInt i = 0; i < size / 8; i++)
            word[i] = call_for(b, closer, "hs_undefined_at", hs_undefined_at,
                               mkIRExprVec_2(hs_add(b, address, 8 * i), hs_const(8)));
    }
    value.undefined = hs_bits_from_words(b, hs_bits_type(type), word);
    value.origin = call_for(b, closer, "hs_origin_of", hs_origin_of,
                            mkIRExprVec_3(address, hs_const(size), hs_const(b->instruction)));
    return value;
}

static void set_states(struct hs_superblock *b, IRExpr *address, IRType type, struct value value,
                       IRExpr *guard) {
    UInt size = sizeofIRType(type), n;
    IRType bits = hs_bits_type(type);
    IRExpr *word[HS_WORDS], *origin = value.undefined ? value.origin : hs_const(0);
    n = hs_bits_words(b, bits, hs_bits_or_none(b, bits, value.undefined), word);
    for (UInt i = 0; i < n; i++)
        hs_call_if(b, guard, "hs_set_undefined_at", hs_set_undefined_at,
                   mkIRExprVec_4(hs_add(b, address, 8 * i), hs_const(size > 8 ? 8 : size), word[i],
                                 origin));
}

/* The states change before the store, if it happens. */
static void store(struct hs_superblock *b, IRExpr *address, IRType type, struct value value,
                  IRExpr *guard) {
    ULong what = HS_ACCESS(sizeofIRType(type), True, b->own);
    if (!guard)
        guard = always();
    hs_call_if(b, guard, "hs_check_access", hs_check_access,
               mkIRExprVec_3(address, hs_const(b->instruction), hs_const(what)));
    set_states(b, address, type, value, guard);
}

/* ---- registers ---- */

static Int origin_slot(struct hs_superblock *b, Int offset) {
    return hs_second_shadow(b, offset & ~7);
}

static struct value get(struct hs_superblock *b, Int offset, IRType type) {
    IRType bits = hs_bits_type(type);
    Int size = sizeofIRType(type);
    struct value value;
    IRExpr *word[HS_WORDS];
    UInt n;
    if (hs_is_always_defined(offset, size))
        return NOTHING;
    value.undefined = hs_temp(b, bits, IRExpr_Get(b->guest_size + offset, bits));
    n = hs_bits_words(b, bits, value.undefined, word);
    value.origin = NULL;
    for (UInt i = n; i-- > 0;) {
        IRExpr *origin =
            hs_unop(b, Iop_32Uto64, Ity_I64,
                    hs_temp(b, Ity_I32, IRExpr_Get(origin_slot(b, offset + 8 * (Int)i), Ity_I32)));
        value.origin =
            value.origin
                ? hs_temp(b, Ity_I64,
                          IRExpr_ITE(hs_any_bit(b, Ity_I64, word[i]), origin, value.origin))
                : origin;
    }
    return value;
}

static void writes(Int offset, Int size) {
    for (Int i = 0; i < size; i += 8) {
        Int group = hs_group_of(offset + i);
        if (group >= 0)
            written |= 1ull << group;
    }
}

static void put(struct hs_superblock *b, Int offset, IRType type, struct value value) {
    Int size = sizeofIRType(type);
    IRType bits = hs_bits_type(type);
    IRExpr *origin;
    if (hs_is_always_defined(offset, size))
        return;
    writes(offset, size);
    hs_stmt(b, IRStmt_Put(b->guest_size + offset, hs_bits_or_none(b, bits, value.undefined)));
    if (!value.undefined)
        return;
    origin = hs_unop(b, Iop_64to32, Ity_I32, value.origin);
    for (Int i = 0; i < size; i += 8)
        hs_stmt(b, IRStmt_Put(origin_slot(b, offset + i), origin));
}

/* Arrays of registers (x87), at the same place of each shadow state. */
static IRRegArray *shadow_of(const IRRegArray *array, Int state_offset, IRType type) {
    return mkIRRegArray(array->base + state_offset, type, array->nElems);
}

static Bool is_shadowed(const IRRegArray *array) {
    return !hs_is_always_defined(array->base, sizeofIRType(array->elemTy) * array->nElems);
}

static struct value get_indexed(struct hs_superblock *b, const IRExpr *e) {
    IRRegArray *array = e->Iex.GetI.descr;
    IRType bits = hs_bits_type(array->elemTy);
    struct value value;
    if (!is_shadowed(array))
        return NOTHING;
    value.undefined = hs_temp(
        b, bits,
        IRExpr_GetI(shadow_of(array, b->guest_size, bits), e->Iex.GetI.ix, e->Iex.GetI.bias));
    value.origin = hs_temp(b, Ity_I64,
                           IRExpr_GetI(shadow_of(array, 2 * b->guest_size, Ity_I64), e->Iex.GetI.ix,
                                       e->Iex.GetI.bias));
    return value;
}

static void put_indexed(struct hs_superblock *b, const IRPutI *details) {
    IRRegArray *array = details->descr;
    IRType bits = hs_bits_type(array->elemTy);
    struct value value = of(details->data);
    if (!is_shadowed(array))
        return;
    writes(array->base, sizeofIRType(array->elemTy) * array->nElems);
    hs_stmt(b, IRStmt_PutI(mkIRPutI(shadow_of(array, b->guest_size, bits), details->ix,
                                    details->bias, hs_bits_or_none(b, bits, value.undefined))));
    if (value.undefined)
        hs_stmt(b, IRStmt_PutI(mkIRPutI(shadow_of(array, 2 * b->guest_size, Ity_I64), details->ix,
                                        details->bias, value.origin)));
}

/* ---- expressions ---- */

static struct value operation(struct hs_superblock *b, IROp op, IRType result, UInt n,
                              IRExpr *argument[]) {
    struct hs_operation o = {.op = op, .result = hs_bits_type(result), .n = n};
    struct value value = NOTHING;
    for (UInt i = n; i-- > 0;) {
        struct value each = of(argument[i]);
        o.type[i] = hs_bits_type(type_of(b, argument[i]));
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
static struct value call(struct hs_superblock *b, const IRExpr *e) {
    struct value value = NOTHING;
    for (UInt i = 0; e->Iex.CCall.args[i]; i++) {
        IRExpr *argument = e->Iex.CCall.args[i];
        struct value each = of(argument), any;
        if (!each.undefined || e->Iex.CCall.cee->mcx_mask >> i & 1)
            continue;
        any.undefined = hs_any_bit(b, hs_bits_type(type_of(b, argument)), each.undefined);
        any.origin = each.origin;
        value.origin = origin_of_both(b, Ity_I1, any, value);
        value.undefined = hs_bits_or(b, Ity_I1, value.undefined, any.undefined);
    }
    value.undefined = hs_bits_spread(b, value.undefined, hs_bits_type(e->Iex.CCall.retty));
    return value;
}

static struct value choice(struct hs_superblock *b, const IRExpr *e) {
    IRExpr *condition = e->Iex.ITE.cond;
    struct value yes = of(e->Iex.ITE.iftrue), no = of(e->Iex.ITE.iffalse), which = of(condition);
    IRType bits = hs_bits_type(type_of(b, e->Iex.ITE.iftrue));
    struct value value = NOTHING;
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
    value.origin = origin_of_both(b, bits, which, value);
    value.undefined = hs_bits_or(b, bits, value.undefined, which.undefined);
    return value;
}

static struct value expression(struct hs_superblock *b, IRExpr *e) {
    IRType type = type_of(b, e);
    switch (e->tag) {
    case Iex_RdTmp:
        return of(e);
    case Iex_Get:
        return get(b, e->Iex.Get.offset, type);
    case Iex_GetI:
        return get_indexed(b, e);
    case Iex_Load:
        return load(b, e->Iex.Load.addr, type, NULL, False);
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
        return NOTHING;
    }
}

/* ---- statements ---- */

static void guarded_load(struct hs_superblock *b, const IRLoadG *details) {
    IRType result, loaded, bits;
    struct value value, other = of(details->alt);
    typeOfIRLoadGOp(details->cvt, &result, &loaded);
    tl_assert(result == loaded); /* as all of amd64's are */
    bits = hs_bits_type(result);
    check_atom(b, HSW_UNDEFINED_CONDITION, details->guard);
    value = load(b, details->addr, loaded, details->guard, False);
    if (other.undefined) {
        value.undefined =
            hs_temp(b, bits, IRExpr_ITE(details->guard, value.undefined, other.undefined));
        value.origin = hs_temp(b, Ity_I64, IRExpr_ITE(details->guard, value.origin, other.origin));
    }
    set(details->dst, value);
}

static void guarded_store(struct hs_superblock *b, const IRStoreG *details) {
    check_atom(b, HSW_UNDEFINED_CONDITION, details->guard);
    check_atom(b, HSW_UNDEFINED_ADDRESS, details->addr);
    store(b, details->addr, type_of(b, details->data), of(details->data), details->guard);
}

/* Any undefined bit of what a helper is given: arguments, registers, memory. */
static struct value given_to_helper(struct hs_superblock *b, const IRDirty *details) {
    struct value all = NOTHING;
    for (UInt i = 0; details->args[i]; i++) {
        IRExpr *argument = details->args[i];
        struct value each = of(argument);
        if (is_IRExpr_VECRET_or_GSPTR(argument) || !each.undefined ||
            details->cee->mcx_mask >> i & 1)
            continue;
        each.undefined = hs_any_bit(b, hs_bits_type(type_of(b, argument)), each.undefined);
        all.origin = origin_of_both(b, Ity_I1, all, each);
        all.undefined = hs_bits_or(b, Ity_I1, all.undefined, each.undefined);
    }
    return all;
}

/* Calls `each` for every 8 bytes of the guest state that the helper reads, or writes. */
static struct value helper_state(struct hs_superblock *b, const IRDirty *details, Bool writing,
                                 struct value all) {
    for (Int i = 0; i < details->nFxState; i++) {
        Bool wanted =
            writing ? details->fxState[i].fx != Ifx_Read : details->fxState[i].fx != Ifx_Write;
        for (Int r = 0; wanted && r <= details->fxState[i].nRepeats; r++) {
            Int start = details->fxState[i].offset + r * details->fxState[i].repeatLen;
            Int end = start + details->fxState[i].size;
            for (Int at = start; at < end; at += 8) {
                IRType type = end - at >= 8 ? Ity_I64 : Ity_I32;
                struct value each;
                if (end - at < 4)
                    break;
                if (writing) {
                    each.undefined = hs_bits_spread(b, all.undefined, type);
                    each.origin = all.origin;
                    put(b, at, type, each);
                    continue;
                }
                each = get(b, at, type);
                each.undefined = hs_any_bit(b, type, each.undefined);
                all.origin = origin_of_both(b, Ity_I1, all, each);
                all.undefined = hs_bits_or(b, Ity_I1, all.undefined, each.undefined);
            }
        }
    }
    return all;
}

static ULong memory_is_undefined(Addr address, Addr instruction, ULong what) {
    hs_check_access(address, instruction, what);
    return hs_find_state(address, what >> 2, HS_ANY_OF(HS_FRESH) | HS_ANY_OF(HS_KEPT)) !=
           address + (what >> 2);
}

static void helper_wrote(Addr address, ULong size, ULong undefined, ULong origin) {
    if (undefined)
        hs_fill_undefined(address, size, 0xFF, origin);
    else
        hs_fill_defined(address, size);
}

/* What a call is given is undefined: so is all that it gives. */
static struct value dirty;

static void before_helper(struct hs_superblock *b, const IRDirty *details) {
    dirty = NOTHING;
    check_atom(b, HSW_UNDEFINED_CONDITION, details->guard);
    dirty = helper_state(b, details, False, given_to_helper(b, details));
    if (details->mFx == Ifx_None)
        return;
    check_atom(b, HSW_UNDEFINED_ADDRESS, details->mAddr);
    if (details->mFx == Ifx_Write) {
        hs_call_if(b, details->guard, "hs_check_access", hs_check_access,
                   mkIRExprVec_3(details->mAddr, hs_const(b->instruction),
                                 hs_const(HS_ACCESS(details->mSize, True, b->own))));
    } else {
        struct value each;
        each.undefined = hs_unop(
            b, Iop_64to1, Ity_I1,
            call_for(b, details->guard, "hs_memory_is_undefined", memory_is_undefined,
                     mkIRExprVec_3(
                         details->mAddr, hs_const(b->instruction),
                         hs_const(HS_ACCESS(details->mSize, details->mFx == Ifx_Modify, b->own)))));
        each.origin = call_for(
            b, details->guard, "hs_origin_of", hs_origin_of,
            mkIRExprVec_3(details->mAddr, hs_const(details->mSize), hs_const(b->instruction)));
        dirty.origin = origin_of_both(b, Ity_I1, dirty, each);
        dirty.undefined = hs_bits_or(b, Ity_I1, dirty.undefined, each.undefined);
    }
}

static void after_helper(struct hs_superblock *b, const IRDirty *details) {
    helper_state(b, details, True, dirty);
    if (details->tmp != IRTemp_INVALID) {
        IRType type = hs_bits_type(typeOfIRTemp(b->out->tyenv, details->tmp));
        set(details->tmp, (struct value){hs_bits_spread(b, dirty.undefined, type), dirty.origin});
    }
    if (details->mFx == Ifx_Write || details->mFx == Ifx_Modify) {
        IRExpr *any =
            dirty.undefined ? hs_unop(b, Iop_1Uto64, Ity_I64, dirty.undefined) : hs_const(0);
        hs_call_if(b, details->guard, "hs_helper_wrote_values", helper_wrote,
                   mkIRExprVec_4(details->mAddr, hs_const(details->mSize), any,
                                 dirty.undefined ? dirty.origin : hs_const(0)));
    }
}

static void before_swap(struct hs_superblock *b, const IRCAS *details) {
    IRType type = type_of(b, details->dataLo);
    check_atom(b, HSW_UNDEFINED_ADDRESS, details->addr);
    set(details->oldLo, load(b, details->addr, type, NULL, True));
    if (details->dataHi)
        set(details->oldHi,
            load(b, hs_add(b, details->addr, sizeofIRType(type)), type, NULL, True));
}

static void after_swap(struct hs_superblock *b, const IRCAS *details) {
    IRType type = type_of(b, details->dataLo);
    IRExpr *succeeded = hs_cas_succeeded(b, details);
    set_states(b, details->addr, type, of(details->dataLo), succeeded);
    if (details->dataHi)
        set_states(b, hs_add(b, details->addr, sizeofIRType(type)), type, of(details->dataHi),
                   succeeded);
}

static void red_zone(Addr start, ULong length) {
    hs_set_states(start, length, HS_FRESH);
}

static void before_statement(struct hs_superblock *b, const IRStmt *s) {
    Long distance;
    switch (s->tag) {
    case Ist_WrTmp:
        hs_stack_follow(s);
        set(s->Ist.WrTmp.tmp, expression(b, s->Ist.WrTmp.data));
        break;
    case Ist_Put:
        if (s->Ist.Put.offset == HS_OFFSET_RSP) {
            check_atom(b, HSW_UNDEFINED_ADDRESS, s->Ist.Put.data);
            hs_stack_changes(b, s->Ist.Put.data, hs_stack_is_set(s, &distance));
        } else
            put(b, s->Ist.Put.offset, type_of(b, s->Ist.Put.data), of(s->Ist.Put.data));
        break;
    case Ist_PutI:
        put_indexed(b, s->Ist.PutI.details);
        break;
    case Ist_Store:
        check_atom(b, HSW_UNDEFINED_ADDRESS, s->Ist.Store.addr);
        store(b, s->Ist.Store.addr, type_of(b, s->Ist.Store.data), of(s->Ist.Store.data), NULL);
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
        before_helper(b, s->Ist.Dirty.details);
        break;
    case Ist_AbiHint:
        hs_call_if(b, always(), "hs_red_zone", red_zone,
                   mkIRExprVec_2(s->Ist.AbiHint.base, hs_const(s->Ist.AbiHint.len)));
        break;
    case Ist_Exit:
        check_atom(b, HSW_UNDEFINED_CONDITION, s->Ist.Exit.guard);
        hs_tell_groups(b, written, s->Ist.Exit.guard);
        break;
    default:
        break;
    }
}

static void after_statement(struct hs_superblock *b, const IRStmt *s) {
    if (s->tag == Ist_CAS)
        after_swap(b, s->Ist.CAS.details);
    else if (s->tag == Ist_Dirty)
        after_helper(b, s->Ist.Dirty.details);
}

/* ---- what the tool does itself ---- */

static void check_register(struct hs_superblock *b, UInt number) {
    Int offset = HS_OFFSET_RAX + 8 * (Int)number;
    tell(b, HSW_UNDEFINED_CONDITION, Ity_I64, get(b, offset, Ity_I64));
}

static void remember_fill(struct hs_superblock *b, Int offset) {
    struct value value = get(b, offset, Ity_I8);
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
    hs_tell_groups(b, written, NULL); /* its exit is not asked about */
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
    put(b, HS_OFFSET_RAX, Ity_I64, NOTHING);
}

/* ---- the pass ---- */

static Bool examine(struct hs_superblock *b) {
    n_values = b->in->tyenv->types_used;
    values = VG_(calloc)("hs.values", n_values + 1, sizeof *values);
    written = 0;
    hs_stack_begin(b);
    return True;
}

/* The address it was entered by is its twin's. */
static void start_block(struct hs_superblock *b) {
    if (b->slow)
        hs_stmt(b, IRStmt_Put(HS_OFFSET_RIP, hs_const(b->start)));
}

static void end_block(struct hs_superblock *b) {
    check_atom(b, HSW_UNDEFINED_ADDRESS, b->in->next);
    hs_tell_groups(b, written, NULL);
}

static void forget(void) {
    VG_(free)(values);
    values = NULL;
    hs_stack_end();
}

const struct hs_pass hs_slow_code = {.examine = examine,
                                     .start_block = start_block,
                                     .start_instruction = start_instruction,
                                     .before_statement = before_statement,
                                     .after_statement = after_statement,
                                     .end_block = end_block,
                                     .forget = forget};
