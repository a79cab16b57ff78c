/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses are a base, which is a temporary, and a distance from it; accesses through one pointer
 * have the same base. (The paper shares the translation of addresses among them; here it is mostly
 * the whole test that is shared.)
 */
#include "checker/known.h"

#include "shared/options.h"

#define MOST_RANGES 64

static struct {
    IRTemp base; /* IRTemp_INVALID: itself */
    Long distance;
} * temps;

static struct {
    IRTemp base;
    Long low, high;
} ranges[MOST_RANGES];
static UInt n_ranges;

void hs_known_begin(struct hs_superblock *b) {
    UInt n = b->in->tyenv->types_used;
    temps = VG_(malloc)("hs.known", (n + 1) * sizeof *temps);
    for (UInt i = 0; i < n; i++)
        temps[i].base = IRTemp_INVALID;
    n_ranges = 0;
}

void hs_known_end(void) {
    VG_(free)(temps);
    temps = NULL;
}

static void base_of(IRTemp temp, IRTemp *base, Long *distance) {
    *base = temps[temp].base == IRTemp_INVALID ? temp : temps[temp].base;
    *distance = temps[temp].base == IRTemp_INVALID ? 0 : temps[temp].distance;
}

Bool hs_base_of(const IRExpr *address, IRTemp *base, Long *distance) {
    if (address->tag != Iex_RdTmp)
        return False;
    base_of(address->Iex.RdTmp.tmp, base, distance);
    return True;
}

void hs_known_follow(const IRStmt *s) {
    const IRExpr *e = s->Ist.WrTmp.data;
    IRTemp temp = s->Ist.WrTmp.tmp;
    Long by = 0;
    if (e->tag == Iex_Binop && e->Iex.Binop.arg1->tag == Iex_RdTmp &&
        e->Iex.Binop.arg2->tag == Iex_Const &&
        (e->Iex.Binop.op == Iop_Add64 || e->Iex.Binop.op == Iop_Sub64)) {
        by = (Long)e->Iex.Binop.arg2->Iex.Const.con->Ico.U64;
        by = e->Iex.Binop.op == Iop_Add64 ? by : -by;
        e = e->Iex.Binop.arg1;
    }
    if (e->tag != Iex_RdTmp)
        return;
    base_of(e->Iex.RdTmp.tmp, &temps[temp].base, &temps[temp].distance);
    temps[temp].distance += by;
}

Bool hs_is_known(const IRExpr *address, UInt size) {
    IRTemp base;
    Long low;
    if (hs_options.without & HS_SHARED_TESTS || !hs_base_of(address, &base, &low))
        return False;
    for (UInt i = 0; i < n_ranges; i++)
        if (ranges[i].base == base && ranges[i].low <= low && ranges[i].high >= low + size)
            return True;
    return False;
}

void hs_know(const IRExpr *address, Long low, Long high) {
    IRTemp base;
    Long distance;
    if (!hs_base_of(address, &base, &distance))
        return;
    low += distance;
    high += distance;
    for (UInt i = 0; i < n_ranges; i++)
        if (ranges[i].base == base && ranges[i].low <= high && ranges[i].high >= low) {
            ranges[i].low = low < ranges[i].low ? low : ranges[i].low;
            ranges[i].high = high > ranges[i].high ? high : ranges[i].high;
            return;
        }
    if (n_ranges == MOST_RANGES)
        return;
    ranges[n_ranges].base = base;
    ranges[n_ranges].low = low;
    ranges[n_ranges++].high = high;
}

void hs_know_nothing(void) {
    n_ranges = 0;
}
