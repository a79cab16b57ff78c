/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The accesses, words and exits of a superblock.
 *
 * An address is followed back through additions of constants to the temporary they began with: the
 * accesses through one pointer share the word that holds that temporary's value.
 */
#include "stream/stream.h"

#include "walk/ir.h"

#define REQUEST_BYTES 48 /* of a client request: its number and five arguments */

/* Where the value of a temporary comes from. */
struct origin {
    IRTemp base;
    Long displacement;
    Bool is_constant;
};

static struct origin *origins; /* by temporary */
static UInt *word_of;          /* by temporary: its word + 1 */
static IRTemp entry_stack;     /* the stack pointer on entry */

static struct origin origin_of(const IRExpr *e) {
    struct origin none = {IRTemp_INVALID, 0, True};
    if (e->tag == Iex_RdTmp)
        return origins[e->Iex.RdTmp.tmp];
    if (e->tag == Iex_Const && e->Iex.Const.con->tag == Ico_U64)
        none.displacement = e->Iex.Const.con->Ico.U64;
    return none;
}

static void follow(IRTemp t, const IRExpr *e) {
    struct origin origin = {t, 0, False};
    if (e->tag == Iex_RdTmp || (e->tag == Iex_Const && e->Iex.Const.con->tag == Ico_U64))
        origin = origin_of(e);
    else if (e->tag == Iex_Binop && e->Iex.Binop.arg2->tag == Iex_Const &&
             (e->Iex.Binop.op == Iop_Add64 || e->Iex.Binop.op == Iop_Sub64)) {
        Long by = e->Iex.Binop.arg2->Iex.Const.con->Ico.U64;
        origin = origin_of(e->Iex.Binop.arg1);
        origin.displacement += e->Iex.Binop.op == Iop_Add64 ? by : -by;
    }
    origins[t] = origin;
}

static UInt new_words(struct hs_description *d, UInt count) {
    UInt first = d->block.words;
    d->block.words += count;
    return first;
}

static UInt word_for(struct hs_description *d, IRTemp base) {
    if (!word_of[base]) {
        word_of[base] = new_words(d, 1) + 1;
        if (base == entry_stack)
            d->block.stack_word = word_of[base] - 1;
    }
    return word_of[base] - 1;
}

static struct hs_access *add(struct hs_description *d, Int statement, UInt instruction,
                             const IRExpr *address, UInt size, Bool is_store) {
    struct origin origin = origin_of(address);
    struct hs_access *access = &d->accesses[d->n_accesses++];
    VG_(memset)(access, 0, sizeof *access);
    access->statement = statement;
    access->base = origin.is_constant ? IRTemp_INVALID : origin.base;
    access->wire.displacement = origin.displacement;
    access->wire.size = size;
    access->wire.instruction = instruction;
    access->wire.word = origin.is_constant ? HSW_NO_WORD : word_for(d, origin.base);
    access->wire.guard = access->wire.value = HSW_NO_WORD;
    access->wire.is_store = is_store;
    return access;
}

static void add_guard(struct hs_description *d, struct hs_access *access, const IRExpr *guard) {
    if (guard && guard->tag == Iex_Const)
        return;
    access->guard = guard;
    access->wire.guard = new_words(d, 1);
}

static void add_values(struct hs_description *d, struct hs_access *access, const IRExpr *value) {
    if (value->tag == Iex_Const && value->Iex.Const.con->tag == Ico_U64) {
        access->wire.constant = value->Iex.Const.con->Ico.U64;
        return;
    }
    access->values = value;
    access->wire.value = new_words(d, (access->wire.size + 7) / 8);
}

static UInt size_of(const struct hs_superblock *b, const IRExpr *e) {
    return sizeofIRType(typeOfIRExpr(b->in->tyenv, e));
}

static void describe_cas(const struct hs_superblock *b, struct hs_description *d, Int i, UInt n,
                         const IRCAS *cas) {
    UInt size = size_of(b, cas->dataLo) * (cas->oldHi == IRTemp_INVALID ? 1 : 2);
    struct hs_access *store;
    add(d, i, n, cas->addr, size, False);
    store = add(d, i, n, cas->addr, size, True);
    add_guard(d, store, NULL);
    store->wire.value = new_words(d, (size + 7) / 8);
}

static void describe_helper(struct hs_description *d, Int i, UInt n, const IRDirty *dirty) {
    const IRExpr *guard = dirty->guard;
    if (dirty->mFx == Ifx_Read || dirty->mFx == Ifx_Modify)
        add_guard(d, add(d, i, n, dirty->mAddr, dirty->mSize, False), guard);
    if (dirty->mFx == Ifx_Write || dirty->mFx == Ifx_Modify)
        add_guard(d, add(d, i, n, dirty->mAddr, dirty->mSize, True), guard);
}

static UInt size_loaded(IRLoadGOp conversion) {
    IRType result, loaded;
    typeOfIRLoadGOp(conversion, &result, &loaded);
    return sizeofIRType(loaded);
}

static void describe_statement(const struct hs_superblock *b, struct hs_description *d, Int i,
                               UInt n) {
    const IRStmt *s = b->in->stmts[i];
    struct hs_access *access;
    switch (s->tag) {
    case Ist_WrTmp:
        if (s->Ist.WrTmp.data->tag == Iex_Load)
            add(d, i, n, s->Ist.WrTmp.data->Iex.Load.addr,
                sizeofIRType(s->Ist.WrTmp.data->Iex.Load.ty), False);
        follow(s->Ist.WrTmp.tmp, s->Ist.WrTmp.data);
        break;
    case Ist_LoadG:
        access =
            add(d, i, n, s->Ist.LoadG.details->addr, size_loaded(s->Ist.LoadG.details->cvt), False);
        add_guard(d, access, s->Ist.LoadG.details->guard);
        break;
    case Ist_Store:
        access = add(d, i, n, s->Ist.Store.addr, size_of(b, s->Ist.Store.data), True);
        add_values(d, access, s->Ist.Store.data);
        break;
    case Ist_StoreG:
        access = add(d, i, n, s->Ist.StoreG.details->addr, size_of(b, s->Ist.StoreG.details->data),
                     True);
        add_guard(d, access, s->Ist.StoreG.details->guard);
        add_values(d, access, s->Ist.StoreG.details->data);
        break;
    case Ist_CAS:
        describe_cas(b, d, i, n, s->Ist.CAS.details);
        break;
    case Ist_Dirty:
        describe_helper(d, i, n, s->Ist.Dirty.details);
        break;
    case Ist_Exit:
        d->exit_statements[d->n_exits] = i;
        d->exits[d->n_exits++] = (struct hsw_exit){n, d->n_accesses};
        break;
    default:
        break;
    }
}

/* A client request: rax points to its words. */
static void describe_request(struct hs_description *d, UInt instruction) {
    struct hs_access *access = &d->accesses[d->n_accesses++];
    VG_(memset)(access, 0, sizeof *access);
    access->statement = -1;
    access->base = IRTemp_INVALID;
    access->wire.size = REQUEST_BYTES;
    access->wire.instruction = instruction;
    access->wire.word = d->request_word = new_words(d, 1);
    access->wire.guard = access->wire.value = HSW_NO_WORD;
}

static UInt jump_of(IRJumpKind kind) {
    switch (kind) {
    case Ijk_Boring:
        return HSW_JUMP_PLAIN;
    case Ijk_Call:
        return HSW_JUMP_CALL;
    case Ijk_Ret:
        return HSW_JUMP_RETURN;
    case Ijk_Sys_syscall:
        return HSW_JUMP_SYSTEM_CALL;
    case Ijk_ClientReq:
        return HSW_JUMP_CLIENT_REQUEST;
    default:
        return HSW_JUMP_OTHER;
    }
}

/* The temporary that holds the stack pointer as it was on entry: read before it is written. */
static IRTemp find_entry_stack(const IRSB *in) {
    for (Int i = 0; i < in->stmts_used; i++) {
        const IRStmt *s = in->stmts[i];
        if (s->tag == Ist_Put && s->Ist.Put.offset == HS_OFFSET_RSP)
            return IRTemp_INVALID;
        if (s->tag == Ist_WrTmp && s->Ist.WrTmp.data->tag == Iex_Get &&
            s->Ist.WrTmp.data->Iex.Get.offset == HS_OFFSET_RSP)
            return s->Ist.WrTmp.tmp;
    }
    return IRTemp_INVALID;
}

static Bool has_room(const struct hs_description *d) {
    return d->n_accesses + 2 <= HS_MAX_ACCESSES && d->n_exits < HS_MAX_EXITS &&
           d->block.code < HS_MAX_CODE && d->block.words < HS_MAX_WORDS;
}

Bool hs_describe(const struct hs_superblock *b, struct hs_description *d) {
    UInt temps = b->in->tyenv->types_used + 1, n = 0;
    Bool fits = True;
    VG_(memset)(&d->block, 0, sizeof d->block);
    d->n_accesses = d->n_exits = 0;
    d->request_word = HSW_NO_WORD;
    d->block.address = b->start;
    d->block.stack_word = HSW_NO_WORD;
    d->block.own = b->own;
    d->block.left_out = b->left_out;
    d->block.jump = jump_of(b->in->jumpkind);
    origins = VG_(calloc)("hs.origins", temps, sizeof *origins);
    word_of = VG_(calloc)("hs.words", temps, sizeof *word_of);
    for (UInt t = 0; t < temps; t++)
        origins[t].base = t;
    entry_stack = find_entry_stack(b->in);
    for (Int i = 0; i < b->in->stmts_used && fits; i++) {
        const IRStmt *s = b->in->stmts[i];
        if (s->tag == Ist_IMark) {
            n++;
            d->block.code += s->Ist.IMark.len;
        } else if (n > 0 && (b->replaced < 0 || i < b->replaced))
            describe_statement(b, d, i, n - 1);
        fits = has_room(d);
    }
    if (fits && b->in->jumpkind == Ijk_ClientReq)
        describe_request(d, n - 1);
    d->block.accesses = d->n_accesses;
    d->block.exits = d->n_exits;
    VG_(free)(origins);
    VG_(free)(word_of);
    return fits;
}
