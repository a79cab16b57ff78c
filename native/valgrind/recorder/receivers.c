/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a returned value goes first: the superblock after a call in own code usually begins by
 * moving rax to a variable or a register. This is static knowledge, sent once per return address;
 * with the DWARF location of variables it tells the type of an allocated block.
 */
#include "recorder/recorder.h"

#include "shared/addresses.h"
#include "shared/machine.h"
#include "shared/ring.h"
#include "walk/ir.h"

#define MAX_INSTRUCTIONS 6

static struct hs_addresses told;

void hs_receivers_forget(void) {
    hs_addresses_clear(&told);
}

/* DWARF number of a general register by its place in the guest state, or -1. */
static Int dwarf_register(Int offset) {
    for (Int i = 0; i < 16; i++)
        if (hs_dwarf_registers[i] == offset)
            return i;
    return -1;
}

struct value {
    UChar is_rax;
    Short reg; /* DWARF register this is an offset from, or -1 */
    Long offset;
};

static void follow(struct value *values, const IRStmt *s) {
    const IRExpr *e = s->Ist.WrTmp.data;
    struct value *v = &values[s->Ist.WrTmp.tmp];
    v->reg = -1;
    if (e->tag == Iex_Get && e->Iex.Get.ty == Ity_I64) {
        v->is_rax = e->Iex.Get.offset == HS_OFFSET_RAX;
        v->reg = dwarf_register(e->Iex.Get.offset);
    } else if (e->tag == Iex_RdTmp)
        *v = values[e->Iex.RdTmp.tmp];
    else if (e->tag == Iex_Binop && e->Iex.Binop.op == Iop_Add64 &&
             e->Iex.Binop.arg1->tag == Iex_RdTmp && e->Iex.Binop.arg2->tag == Iex_Const) {
        *v = values[e->Iex.Binop.arg1->Iex.RdTmp.tmp];
        v->offset += (Long)e->Iex.Binop.arg2->Iex.Const.con->Ico.U64;
        v->is_rax = 0;
    }
}

static Bool is_rax(const struct value *values, const IRExpr *e) {
    return e->tag == Iex_RdTmp && values[e->Iex.RdTmp.tmp].is_rax;
}

static ULong describe(UInt kind, Int reg, Long offset) {
    return (ULong)kind << 56 | (ULong)(reg & 0xFF) << 48 | (offset & 0xFFFFFFFF);
}

/* The record's value for this statement, or 0 if it does not receive rax. */
static ULong receives(const struct value *values, const IRStmt *s) {
    if (s->tag == Ist_Store && is_rax(values, s->Ist.Store.data)) {
        const IRExpr *address = s->Ist.Store.addr;
        if (address->tag == Iex_Const)
            return (ULong)HSW_RECEIVER_GLOBAL << 56 |
                   (address->Iex.Const.con->Ico.U64 & HSW_ADDRESS_MASK);
        if (values[address->Iex.RdTmp.tmp].reg >= 0)
            return describe(HSW_RECEIVER_MEMORY, values[address->Iex.RdTmp.tmp].reg,
                            values[address->Iex.RdTmp.tmp].offset);
    }
    if (s->tag == Ist_Put && is_rax(values, s->Ist.Put.data) &&
        s->Ist.Put.offset != HS_OFFSET_RAX && dwarf_register(s->Ist.Put.offset) >= 0)
        return describe(HSW_RECEIVER_REGISTER, dwarf_register(s->Ist.Put.offset), 0);
    return 0;
}

void hs_find_receiver(const struct hs_superblock *b) {
    const IRSB *in = b->in;
    struct value *values;
    UInt instructions = 0;
    ULong found = 0;
    if (!hs_follows_call(b->start) || !hs_addresses_add(&told, b->start))
        return;
    values = VG_(calloc)("hs.values", in->tyenv->types_used + 1, sizeof *values);
    for (Int i = 0; i < in->stmts_used && !found; i++) {
        const IRStmt *s = in->stmts[i];
        if (s->tag == Ist_IMark && ++instructions > MAX_INSTRUCTIONS)
            break;
        if (s->tag == Ist_WrTmp)
            follow(values, s);
        found = receives(values, s);
        if (s->tag == Ist_Put && s->Ist.Put.offset == HS_OFFSET_RAX)
            break;
    }
    VG_(free)(values);
    if (found)
        hs_record(HSW_RECEIVER, b->start, found);
}
