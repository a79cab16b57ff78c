/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a statement stores, as words. Passes that ask about the same statement get the same sites.
 */
#include "shared/pages.h"
#include "shared/sites.h"
#include "walk/ir.h"

static const IRExpr *address_of(const IRStmt *s) {
    switch (s->tag) {
    case Ist_Store:
        return s->Ist.Store.addr;
    case Ist_StoreG:
        return s->Ist.StoreG.details->addr;
    case Ist_CAS:
        return s->Ist.CAS.details->addr;
    default:
        return NULL;
    }
}

Bool hs_is_store(struct hs_superblock *b, const IRStmt *s) {
    const IRExpr *address = address_of(s);
    return address && !hs_is_unrecorded_stack(b, address);
}

/* ---- values ---- */

UInt hs_value_words(struct hs_superblock *b, IRExpr *value, IRExpr *word[HS_WORDS]) {
    static const IROp parts[4] = {Iop_V256to64_0, Iop_V256to64_1, Iop_V256to64_2, Iop_V256to64_3};
    switch (typeOfIRExpr(b->out->tyenv, value)) {
    case Ity_I64:
        word[0] = value;
        return 1;
    case Ity_I32:
        word[0] = hs_unop(b, Iop_32Uto64, Ity_I64, value);
        return 1;
    case Ity_I16:
        word[0] = hs_unop(b, Iop_16Uto64, Ity_I64, value);
        return 1;
    case Ity_I8:
        word[0] = hs_unop(b, Iop_8Uto64, Ity_I64, value);
        return 1;
    case Ity_F64:
        word[0] = hs_unop(b, Iop_ReinterpF64asI64, Ity_I64, value);
        return 1;
    case Ity_F32:
        word[0] =
            hs_unop(b, Iop_32Uto64, Ity_I64, hs_unop(b, Iop_ReinterpF32asI32, Ity_I32, value));
        return 1;
    case Ity_V128:
        word[0] = hs_unop(b, Iop_V128to64, Ity_I64, value);
        word[1] = hs_unop(b, Iop_V128HIto64, Ity_I64, value);
        return 2;
    case Ity_I128:
        word[0] = hs_unop(b, Iop_128to64, Ity_I64, value);
        word[1] = hs_unop(b, Iop_128HIto64, Ity_I64, value);
        return 2;
    case Ity_V256:
        for (UInt i = 0; i < 4; i++)
            word[i] = hs_unop(b, parts[i], Ity_I64, value);
        return 4;
    default:
        return 0;
    }
}

static IRExpr *offset_address(struct hs_superblock *b, IRExpr *address, ULong offset) {
    if (address->tag == Iex_Const)
        return hs_const(address->Iex.Const.con->Ico.U64 + offset);
    return hs_add(b, address, offset);
}

/* ---- sites ---- */

static UInt site_of_word(struct hs_superblock *b, UInt word, UInt size) {
    if (b->sites_of != b->statement) {
        VG_(memset)(b->sites, 0, sizeof b->sites);
        b->sites_of = b->statement;
    }
    if (!b->sites[word])
        b->sites[word] =
            hs_new_site(b->instruction, size, word ? HSW_SITE_MORE : HSW_SITE_STORE, b->own);
    return b->sites[word];
}

/* `value` is stored at `address`, behind what was added before. */
static void add_value(struct hs_superblock *b, struct hs_stored *stored, IRExpr *address,
                      IRExpr *value) {
    UInt size = sizeofIRType(typeOfIRExpr(b->out->tyenv, value));
    IRExpr *word[HS_WORDS];
    UInt n = hs_value_words(b, value, word);
    size = size > 8 ? 8 : size;
    for (UInt i = 0; i < n; i++) {
        UInt place = stored->n++;
        stored->word[place] = (struct hs_word){offset_address(b, address, (ULong)place * size),
                                               word[i], size, site_of_word(b, place, size)};
    }
}

/* ---- compare-and-swap ---- */

static IRExpr *equal(struct hs_superblock *b, IRExpr *x, IRExpr *y) {
    switch (typeOfIRExpr(b->out->tyenv, x)) {
    case Ity_I8:
        return hs_test(b, Iop_CmpEQ8, x, y);
    case Ity_I16:
        return hs_test(b, Iop_CmpEQ16, x, y);
    case Ity_I32:
        return hs_test(b, Iop_CmpEQ32, x, y);
    case Ity_I64:
        return hs_test(b, Iop_CmpEQ64, x, y);
    default:
        VG_(tool_panic)("compare-and-swap of an unknown size");
    }
}

IRExpr *hs_cas_succeeded(struct hs_superblock *b, const IRCAS *cas) {
    IRExpr *low = equal(b, IRExpr_RdTmp(cas->oldLo), cas->expdLo), *high, *both;
    if (cas->oldHi == IRTemp_INVALID)
        return low;
    high = equal(b, IRExpr_RdTmp(cas->oldHi), cas->expdHi);
    both = hs_binop(b, Iop_And64, hs_unop(b, Iop_1Uto64, Ity_I64, low),
                    hs_unop(b, Iop_1Uto64, Ity_I64, high));
    return hs_test(b, Iop_CmpNE64, both, hs_const(0));
}

static void compare_and_swap(struct hs_superblock *b, struct hs_stored *stored, const IRCAS *cas) {
    stored->guard = hs_cas_succeeded(b, cas);
    add_value(b, stored, cas->addr, cas->dataLo);
    if (cas->oldHi != IRTemp_INVALID)
        add_value(b, stored, cas->addr, cas->dataHi);
}

struct hs_stored hs_words_stored(struct hs_superblock *b, const IRStmt *s) {
    struct hs_stored stored = {0};
    switch (s->tag) {
    case Ist_Store:
        add_value(b, &stored, s->Ist.Store.addr, s->Ist.Store.data);
        break;
    case Ist_StoreG:
        stored.guard = s->Ist.StoreG.details->guard;
        add_value(b, &stored, s->Ist.StoreG.details->addr, s->Ist.StoreG.details->data);
        break;
    case Ist_CAS:
        compare_and_swap(b, &stored, s->Ist.CAS.details);
        break;
    default:
        break;
    }
    return stored;
}

/* ---- pages ---- */

IRExpr *hs_page_byte(struct hs_superblock *b, IRExpr *address, IRExpr *guard) {
    IRExpr *page, *byte;
    if (address->tag == Iex_Const && hs_page_is_on(address->Iex.Const.con->Ico.U64))
        byte = hs_const(HS_PAGE_ON);
    else {
        if (guard) /* a store that does not happen may have any address */
            address = hs_temp(b, Ity_I64, IRExpr_ITE(guard, address, hs_const(0)));
        page = hs_shift(b, Iop_Shr64, address, HS_PAGE_BITS);
        byte = hs_load_byte(b, hs_binop(b, Iop_Add64, page, hs_const((ULong)hs_pages)));
    }
    return guard ? hs_temp(b, Ity_I64, IRExpr_ITE(guard, byte, hs_const(0))) : byte;
}
