/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The light pass. Behind every load and store that may hit the heap, generated code looks at the
 * shadow bits of exactly the bytes accessed and calls C code if one is set. It stands behind the
 * access, so that an address that is not mapped has faulted as it would without us, before its
 * shadow is read.
 *
 * Left out: accesses at a constant distance from the stack pointer, and of constant addresses.
 */
#include "checker/checker.h"

#include "shared/addressable.h"
#include "walk/ir.h"

/* ---- what a statement accesses ---- */

struct access {
    IRExpr *address; /* NULL: nothing */
    IRExpr *guard;   /* NULL: always */
    UInt size;
    Bool is_store;
};

static UInt size_of(const struct hs_superblock *b, const IRExpr *value) {
    return sizeofIRType(typeOfIRExpr(b->in->tyenv, value));
}

static struct access guarded_load(const IRLoadG *load) {
    IRType result, loaded;
    typeOfIRLoadGOp(load->cvt, &result, &loaded);
    return (struct access){load->addr, load->guard, sizeofIRType(loaded), False};
}

static struct access helper(const IRDirty *call) {
    Bool writes = call->mFx == Ifx_Write || call->mFx == Ifx_Modify;
    if (call->mFx == Ifx_None)
        return (struct access){0};
    return (struct access){call->mAddr, call->guard, call->mSize, writes};
}

static struct access access_of(const struct hs_superblock *b, const IRStmt *s) {
    const IRExpr *e;
    const IRStoreG *store;
    const IRCAS *swap;
    switch (s->tag) {
    case Ist_WrTmp:
        e = s->Ist.WrTmp.data;
        if (e->tag != Iex_Load)
            break;
        return (struct access){e->Iex.Load.addr, NULL, sizeofIRType(e->Iex.Load.ty), False};
    case Ist_Store:
        return (struct access){s->Ist.Store.addr, NULL, size_of(b, s->Ist.Store.data), True};
    case Ist_LoadG:
        return guarded_load(s->Ist.LoadG.details);
    case Ist_StoreG:
        store = s->Ist.StoreG.details;
        return (struct access){store->addr, store->guard, size_of(b, store->data), True};
    case Ist_CAS:
        swap = s->Ist.CAS.details;
        return (struct access){swap->addr, NULL, size_of(b, swap->dataLo) * (swap->dataHi ? 2 : 1),
                               True};
    case Ist_Dirty:
        return helper(s->Ist.Dirty.details);
    default:
        break;
    }
    return (struct access){0};
}

static Bool is_checked(struct hs_superblock *b, const struct access *access) {
    return access->address && access->address->tag != Iex_Const && !hs_on_stack(b, access->address);
}

/* ---- looking at the shadow ---- */

/* What is known of the superblock so far. */
#define MOST_TESTS 32
static struct {
    IRExpr *shadow; /* atom: where it begins; NULL until somebody asks */
    UInt n_tests;
    struct {
        IRTemp address;
        UInt size;
        IRExpr *flag;
    } tests[MOST_TESTS];
} known;

/* Shadow bytes that hold the bits of an access of this size, whatever its alignment. */
static IRExpr *load_bits(struct hs_superblock *b, IRExpr *at, UInt size) {
    switch (size) {
    case 1:
        return hs_load_byte(b, at);
    case 2:
    case 4:
    case 8:
        return hs_unop(b, Iop_16Uto64, Ity_I64,
                       hs_temp(b, Ity_I16, IRExpr_Load(Iend_LE, Ity_I16, at)));
    case 16:
        return hs_unop(b, Iop_32Uto64, Ity_I64,
                       hs_temp(b, Ity_I32, IRExpr_Load(Iend_LE, Ity_I32, at)));
    case 32:
        return hs_load64(b, at);
    default:
        return NULL;
    }
}

/* An I1: some byte is unaddressable. NULL for sizes of which that is not asked here. */
static IRExpr *test(struct hs_superblock *b, IRExpr *address, UInt size) {
    IRExpr *at, *bits, *shift;
    if (!known.shadow)
        known.shadow = hs_temp(b, Ity_I64, hs_const((ULong)hs_unaddressable));
    at = hs_binop(b, Iop_Add64, hs_shift(b, Iop_Shr64, address, 3), known.shadow);
    bits = load_bits(b, at, size);
    if (!bits)
        return NULL;
    shift = hs_unop(b, Iop_64to8, Ity_I8, hs_binop(b, Iop_And64, address, hs_const(7)));
    bits = hs_binop(b, Iop_Shr64, bits, shift);
    bits = hs_binop(b, Iop_And64, bits, hs_const((1ull << size) - 1));
    return hs_test(b, Iop_CmpNE64, bits, hs_const(0));
}

/* The same question about the same address has the same answer within a superblock. */
static IRExpr *test_once(struct hs_superblock *b, IRExpr *address, UInt size) {
    IRTemp temp = address->Iex.RdTmp.tmp;
    IRExpr *flag;
    for (UInt i = 0; i < known.n_tests; i++)
        if (known.tests[i].address == temp && known.tests[i].size == size)
            return known.tests[i].flag;
    flag = test(b, address, size);
    if (flag && known.n_tests < MOST_TESTS) {
        known.tests[known.n_tests].address = temp;
        known.tests[known.n_tests].size = size;
        known.tests[known.n_tests++].flag = flag;
    }
    return flag;
}

static IRExpr *both(struct hs_superblock *b, IRExpr *x, IRExpr *y) {
    IRExpr *wide = hs_binop(b, Iop_And64, hs_unop(b, Iop_1Uto64, Ity_I64, x),
                            hs_unop(b, Iop_1Uto64, Ity_I64, y));
    return hs_test(b, Iop_CmpNE64, wide, hs_const(0));
}

static void check(struct hs_superblock *b, const struct access *access) {
    IRExpr *address = access->address, *bad;
    IRExpr **arguments = mkIRExprVec_3(access->address, hs_const(b->instruction),
                                       hs_const(HS_ACCESS(access->size, access->is_store, b->own)));
    if (access->guard) { /* an access that does not happen may have any address */
        IRExpr *safe = IRExpr_ITE(access->guard, address, hs_const(0));
        address = hs_temp(b, Ity_I64, safe);
        bad = test(b, address, access->size);
    } else
        bad = test_once(b, address, access->size);
    if (!bad) {
        hs_call_if(b, access->guard ? access->guard : IRExpr_Const(IRConst_U1(True)),
                   "hs_check_access", hs_check_access, arguments);
        return;
    }
    hs_call_if(b, access->guard ? both(b, bad, access->guard) : bad, "hs_bad_access", hs_bad_access,
               arguments);
}

/* ---- the pass ---- */

static Bool examine(struct hs_superblock *b) {
    hs_check_code(b);
    for (Int i = 0; i < b->in->stmts_used; i++) {
        struct access access = access_of(b, b->in->stmts[i]);
        if (is_checked(b, &access))
            return True;
    }
    return False;
}

static void after_statement(struct hs_superblock *b, const IRStmt *s) {
    struct access access = access_of(b, s);
    if (is_checked(b, &access))
        check(b, &access);
}

static void forget(void) {
    known.shadow = NULL;
    known.n_tests = 0;
}

const struct hs_pass hs_light_pass = {
    .examine = examine, .after_statement = after_statement, .forget = forget};
