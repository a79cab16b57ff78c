/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `rep movs` and `rep stos` as one operation. Valgrind's translation of them runs one element per
 * pass through the superblock; here the whole instruction is one call that works page by page and
 * keeps the registers right, so that a fault leaves them as the processor would.
 *
 * Other prefixes (address size, segments) and the comparing string instructions are left alone.
 */
#include "functions/functions.h"
#include "shared/listeners.h"
#include "shared/ranges.h"
#include "shared/sites.h"
#include "walk/ir.h"

struct rep {
    UInt size; /* of an element */
    Bool copies;
};

static Bool parse(Addr code, UInt length, struct rep *rep) {
    const UChar *p = (const UChar *)code, *end = p + length;
    Bool repeat = False, narrow = False, wide = False;
    for (; p < end && (*p == 0xF3 || *p == 0x66); p++)
        if (*p == 0xF3)
            repeat = True;
        else
            narrow = True;
    if (p < end && (*p & 0xF0) == 0x40)
        wide = (*p++ & 8) != 0;
    if (!repeat || p + 1 != end || (*p != 0xA4 && *p != 0xA5 && *p != 0xAA && *p != 0xAB))
        return False;
    rep->copies = *p == 0xA4 || *p == 0xA5;
    rep->size = !(*p & 1) ? 1 : wide ? 8 : narrow ? 2 : 4;
    return True;
}

/* How many elements from `address` on, in direction `step`, lie within one page; at least 1. */
static SizeT elements_in_page(Addr address, UInt size, Bool down) {
    SizeT offset = address & (VKI_PAGE_SIZE - 1);
    SizeT bytes = down ? offset + size : VKI_PAGE_SIZE - offset;
    return bytes < size ? 1 : bytes / size;
}

#define RUN(instruction)                                                                           \
    __asm__ volatile("testb %b4, %b4\njz 1f\nstd\n1: rep " instruction "\ncld\n"                   \
                     : "+D"(to), "+S"(from), "+c"(count)                                           \
                     : "a"(value), "q"(down)                                                       \
                     : "memory", "cc")

static void run(Addr to, Addr from, SizeT count, ULong value, UInt size, Bool copies, Bool down) {
    switch (size << 1 | copies) {
    case 1 << 1 | 1:
        RUN("movsb");
        break;
    case 2 << 1 | 1:
        RUN("movsw");
        break;
    case 4 << 1 | 1:
        RUN("movsl");
        break;
    case 8 << 1 | 1:
        RUN("movsq");
        break;
    case 1 << 1:
        RUN("stosb");
        break;
    case 2 << 1:
        RUN("stosw");
        break;
    case 4 << 1:
        RUN("stosl");
        break;
    default:
        RUN("stosq");
        break;
    }
}

static Bool one_byte(ULong value, UInt size) {
    ULong mask = size == 8 ? ~0ull : (1ull << 8 * size) - 1;
    return (value & mask) == ((value & 0xFF) * 0x0101010101010101ull & mask);
}

/* Runs the whole instruction on the guest state. */
static void repeat(VexGuestAMD64State *guest, ULong value, ULong what, ULong site) {
    UInt size = what >> 1;
    Bool copies = what & 1, down = (Long)guest->guest_DFLAG < 0;
    SizeT total = guest->guest_RCX * size;
    Addr start = down ? guest->guest_RDI + size - total : guest->guest_RDI;
    hs_pending.start = start;
    hs_pending.site = site;
    hs_pending.length = total;
    if (total)
        HS_TELL(moved, start,
                !copies ? 0
                : down  ? guest->guest_RSI + size - total
                        : guest->guest_RSI,
                total, site);
    while (guest->guest_RCX) {
        SizeT n = elements_in_page(guest->guest_RDI, size, down), step;
        if (copies) {
            SizeT m = elements_in_page(guest->guest_RSI, size, down);
            n = m < n ? m : n;
        }
        n = n < guest->guest_RCX ? n : guest->guest_RCX;
        run(guest->guest_RDI, guest->guest_RSI, n, value, size, copies, down);
        step = down ? -(n * size) : n * size;
        guest->guest_RDI += step;
        if (copies)
            guest->guest_RSI += step;
        guest->guest_RCX -= n;
    }
    hs_pending.length = 0;
    if (!hs_recording() || !total)
        return;
    if (copies)
        HS_TELL(reads, down ? guest->guest_RSI + size : guest->guest_RSI - total, total, site);
    if (!copies && one_byte(value, size))
        hs_fill(start, total, (UChar)value, site);
    else
        hs_range(start, total, HSW_RANGE_COPY, site);
}

/* What the translation of one element says about the registers. */
struct parts {
    IRExpr *count_after, *to, *from, *value;
};

static Bool find_parts(const IRSB *in, Int first, struct parts *parts) {
    for (Int i = first; i < in->stmts_used; i++) {
        const IRStmt *s = in->stmts[i];
        if (s->tag == Ist_IMark)
            return False;
        if (s->tag == Ist_Put && s->Ist.Put.offset == HS_OFFSET_RCX)
            parts->count_after = s->Ist.Put.data;
        else if (s->tag == Ist_Store) {
            parts->to = s->Ist.Store.addr;
            parts->value = s->Ist.Store.data;
        } else if (s->tag == Ist_WrTmp && s->Ist.WrTmp.data->tag == Iex_Load)
            parts->from = s->Ist.WrTmp.data->Iex.Load.addr;
    }
    return parts->count_after && parts->to;
}

static IRExpr *widen(struct hs_superblock *b, IRExpr *value) {
    switch (typeOfIRExpr(b->out->tyenv, value)) {
    case Ity_I8:
        return hs_unop(b, Iop_8Uto64, Ity_I64, value);
    case Ity_I16:
        return hs_unop(b, Iop_16Uto64, Ity_I64, value);
    case Ity_I32:
        return hs_unop(b, Iop_32Uto64, Ity_I64, value);
    default:
        return value;
    }
}

static void call_repeat(struct hs_superblock *b, const struct rep *rep, IRExpr *value) {
    ULong site = hs_new_site(b->instruction, 0, HSW_SITE_RANGED, b->own);
    IRDirty *call =
        unsafeIRDirty_0_N(0, "hs_repeat", VG_(fnptr_to_fnentry)(repeat),
                          mkIRExprVec_4(IRExpr_GSPTR(), value,
                                        hs_const(rep->size << 1 | rep->copies), hs_const(site)));
    hs_modifies_state(call, HS_OFFSET_RCX);
    hs_modifies_state(call, HS_OFFSET_RSI);
    hs_modifies_state(call, HS_OFFSET_RDI);
    hs_reads_state(call, offsetof(VexGuestAMD64State, guest_DFLAG));
    hs_call_helper(b, call);
}

/* ---- the pass ---- */

/* The instruction that is to be replaced, the last one of the superblock; statement -1: none. */
static struct {
    Int statement;
    struct rep rep;
    struct parts parts;
} found;

static Int last_mark(const IRSB *in) {
    Int i = in->stmts_used;
    while (i-- > 0)
        if (in->stmts[i]->tag == Ist_IMark)
            return i;
    return -1;
}

static Bool examine(struct hs_superblock *b) {
    Int mark = last_mark(b->in);
    found.statement = -1;
    VG_(memset)(&found.parts, 0, sizeof found.parts);
    if (!hs_is_recorded(b) || mark < 0 ||
        !parse(b->in->stmts[mark]->Ist.IMark.addr, b->in->stmts[mark]->Ist.IMark.len, &found.rep) ||
        !find_parts(b->in, mark + 1, &found.parts) || (found.rep.copies && !found.parts.from))
        return False;
    found.statement = b->replaced = mark;
    return True;
}

static Bool is_undone(const IRStmt *s) {
    return s->tag == Ist_Store || (s->tag == Ist_Put && (s->Ist.Put.offset == HS_OFFSET_RCX ||
                                                         s->Ist.Put.offset == HS_OFFSET_RSI ||
                                                         s->Ist.Put.offset == HS_OFFSET_RDI));
}

/* The translation's test for a count of 0 stays; its PUTs are undone, because PUTs before the
 * instruction may have been optimised away in their favour. */
static Bool replace(struct hs_superblock *b) {
    const struct parts *parts = &found.parts;
    if (b->statement != found.statement)
        return False;
    for (Int i = b->statement + 1; i < b->in->stmts_used; i++)
        if (!is_undone(b->in->stmts[i]))
            hs_stmt(b, b->in->stmts[i]);
    hs_stmt(b, IRStmt_Put(HS_OFFSET_RCX, hs_binop(b, Iop_Add64, parts->count_after, hs_const(1))));
    hs_stmt(b, IRStmt_Put(HS_OFFSET_RDI, parts->to));
    if (found.rep.copies)
        hs_stmt(b, IRStmt_Put(HS_OFFSET_RSI, parts->from));
    hs_stmt(b, IRStmt_Put(HS_OFFSET_RIP, hs_const(b->instruction)));
    call_repeat(b, &found.rep, found.rep.copies ? hs_const(0) : widen(b, parts->value));
    b->out->next = hs_const(b->instruction + b->length);
    b->out->jumpkind = Ijk_Boring;
    return True;
}

const struct hs_pass hs_rep_pass = {.examine = examine, .replace = replace};
