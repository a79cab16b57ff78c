/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks ahead. Between two ways out of a superblock (an exit of the program's, a helper, a function
 * that the tool does itself) fast code is run as a whole or left for slow code, which does the rest
 * again from there. So a test may come earlier than its access, and memory of the stack may change
 * its state earlier or later than the stack pointer, as long as both happen before the next way
 * out.
 */
#include "checker/ahead.h"

#include "checker/known.h"
#include "checker/stack.h"
#include "checker/values.h"
#include "shared/options.h"

#define MOST_LOADS 32  /* bytes */
#define MOST_PUSHES 64 /* bytes */

struct access {
    Int statement;
    IRTemp base; /* IRTemp_INVALID: none of the two below is known */
    Long low, high;
    Bool is_store, on_stack;
};
static struct access *accesses;
static Int n_accesses;

static Int *ways_out; /* statement numbers, ascending */
static Int n_ways_out;

static struct change {
    Int statement;
    Long distance; /* from where it was before all of these */
    struct hs_stack_work work;
} * changes;
static Int n_changes, first_change; /* of those without a way out between */

/* ---- the stack pointer ---- */

/* Where it ends up, and the lowest it gets to. The work is done at the first and the last. */
static void plan(Bool before_call) {
    Long lowest = 0, end;
    if (n_changes == first_change)
        return;
    end = changes[n_changes - 1].distance;
    for (Int i = first_change; i < n_changes; i++)
        if (changes[i].distance < lowest)
            lowest = changes[i].distance;
    for (Int i = first_change; i < n_changes; i++)
        if (changes[i].distance < 0) {
            /* a call makes all of the red zone uninitialised anyway */
            if (!(before_call && end == lowest && -lowest <= HS_RED_ZONE)) {
                changes[i].work.fresh = lowest - changes[i].distance;
                changes[i].work.n_fresh = -lowest;
            }
            break;
        }
    changes[n_changes - 1].work.gone = lowest - end;
    changes[n_changes - 1].work.n_gone = end - lowest;
    first_change = n_changes;
}

static void change(Int statement, Long by) {
    struct change *before = n_changes > first_change ? &changes[n_changes - 1] : NULL;
    changes[n_changes].statement = statement;
    changes[n_changes].distance = (before ? before->distance : 0) + by;
    changes[n_changes++].work = (struct hs_stack_work){0};
}

struct hs_stack_work hs_stack_work_at(const struct hs_superblock *b) {
    for (Int i = 0; i < n_changes; i++)
        if (changes[i].statement == b->statement)
            return changes[i].work;
    return (struct hs_stack_work){0};
}

/* ---- the list ---- */

static void add(Int statement, const IRExpr *address, UInt size, Bool is_store) {
    struct access *a = &accesses[n_accesses++];
    Long distance;
    a->statement = statement;
    a->is_store = is_store;
    a->base = IRTemp_INVALID;
    a->on_stack = hs_stack_distance(address, &distance) && distance >= -HS_RED_ZONE;
    if (hs_base_of(address, &a->base, &a->low))
        a->high = a->low + size;
}

static void way_out(Int statement) {
    ways_out[n_ways_out++] = statement;
    plan(False);
}

static void examine(struct hs_superblock *b, Int i, UInt *number) {
    const IRStmt *s = b->in->stmts[i];
    Long distance;
    switch (s->tag) {
    case Ist_IMark:
        if (++*number == b->stub)
            way_out(i);
        break;
    case Ist_WrTmp:
        hs_stack_follow(s);
        hs_known_follow(s);
        if (s->Ist.WrTmp.data->tag == Iex_Load)
            add(i, s->Ist.WrTmp.data->Iex.Load.addr, sizeofIRType(s->Ist.WrTmp.data->Iex.Load.ty),
                False);
        break;
    case Ist_Store:
        add(i, s->Ist.Store.addr, sizeofIRType(typeOfIRExpr(b->in->tyenv, s->Ist.Store.data)),
            True);
        break;
    case Ist_Put:
        if (s->Ist.Put.offset != HS_OFFSET_RSP)
            break;
        if (hs_stack_is_set(s, &distance) == HS_BY_CONSTANT)
            change(i, distance);
        else
            way_out(i);
        break;
    case Ist_AbiHint:
        plan(True);
        break;
    case Ist_PutI:
    case Ist_NoOp:
    case Ist_MBE:
        break;
    default:
        way_out(i);
        break;
    }
}

void hs_ahead_begin(struct hs_superblock *b) {
    Int n = b->in->stmts_used + 1;
    UInt number = 0;
    accesses = VG_(malloc)("hs.ahead", n * sizeof *accesses);
    ways_out = VG_(malloc)("hs.ahead.ways", n * sizeof *ways_out);
    changes = VG_(malloc)("hs.ahead.changes", n * sizeof *changes);
    n_accesses = n_ways_out = n_changes = first_change = 0;
    for (Int i = 0; i < b->in->stmts_used; i++)
        examine(b, i, &number);
    plan(False);
}

void hs_ahead_end(void) {
    VG_(free)(accesses);
    VG_(free)(ways_out);
    VG_(free)(changes);
}

/* ---- spans ---- */

static Int next_way_out(Int statement, Int end) {
    for (Int i = 0; i < n_ways_out; i++)
        if (ways_out[i] > statement)
            return ways_out[i];
    return end;
}

static ULong states_of(Long low, Long high) {
    ULong states = 0;
    for (Long i = low; i < high; i++)
        states |= 3ull << 2 * i;
    return states;
}

static Bool is_stored_between(const struct access *from, const struct access *to) {
    for (const struct access *a = from + 1; a < to; a++)
        if (a->is_store && a->base == to->base && a->low < to->high && a->high > to->low)
            return True;
    return False;
}

static struct access *find(Int statement) {
    for (Int i = 0; i < n_accesses; i++)
        if (accesses[i].statement == statement && accesses[i].base != IRTemp_INVALID)
            return &accesses[i];
    return NULL;
}

struct hs_span hs_loads_ahead(const struct hs_superblock *b, IRExpr *address, UInt size) {
    struct access *first = find(b->statement), *all = accesses + n_accesses;
    Int end = next_way_out(b->statement, b->in->stmts_used);
    Long low, high;
    ULong states = 0;
    if (!first || size < 4 || size > MOST_LOADS || hs_options.without & HS_SHARED_TESTS)
        return (struct hs_span){0};
    low = first->low;
    high = first->high;
    for (UInt pass = 0; pass < 2; pass++) /* how far it reaches, then what is in it */
        for (struct access *a = first; a < all && a->statement < end; a++) {
            Long lower = a->low < low ? a->low : low, higher = a->high > high ? a->high : high;
            if (a->is_store || a->base != first->base || a->high - a->low < 4 ||
                (a->low - first->low) % 4 || higher - lower > MOST_LOADS ||
                is_stored_between(first, a))
                continue;
            low = lower;
            high = higher;
            if (pass)
                states |= states_of(a->low - low, a->high - low);
        }
    return (struct hs_span){low - first->low, high - first->low, states};
}

struct hs_span hs_pushes_ahead(const struct hs_superblock *b, IRExpr *address, UInt size) {
    struct access *first = find(b->statement), *all = accesses + n_accesses;
    Int end = next_way_out(b->statement, b->in->stmts_used);
    Long low, high;
    if (!first || size != 8 || hs_options.without & HS_INLINE_STACK)
        return (struct hs_span){0, size, 0};
    low = first->low;
    high = first->high;
    for (struct access *a = first + 1; a < all && a->statement < end; a++) {
        if (!a->is_store || a->base != first->base || !a->on_stack || a->high - a->low != 8)
            break;
        if (a->high == low && high - a->low <= MOST_PUSHES)
            low = a->low;
        else if (a->low == high && a->high - low <= MOST_PUSHES)
            high = a->high;
        else
            break;
    }
    return (struct hs_span){low - first->low, high - first->low, 0};
}
