/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mode portable: an overflow inside a node. A word that the code first accessed by itself, as 8
 * bytes at a constant distance from a pointer, is a field. A copy that starts below a field which
 * holds the address of code, and leaves something else there that is neither such an address nor
 * NULL, is reported as possible: one that does is the assignment of a whole structure. So is a text
 * that sprintf, scanf or one of their families stores.
 */
#include "discovery/nodes.h"
#include "shared/peek.h"

#define MOST_FIELDS 16 /* of one copy that are looked at */
#define ARENA 65536    /* what no allocator returned, as large as this, is used for many things */

UChar *hs_fields;

/* The copy under way. */
static struct {
    UInt node;
    Addr start;
    SizeT length;
    ULong site;
    UInt n;
    Addr field[MOST_FIELDS];
} copy;

void hs_field_found(Addr address) {
    if (hs_fields)
        hs_fields[address >> 3] |= HS_FIELD;
}

void hs_fields_forgotten(Addr from, Addr to) {
    if (hs_fields)
        for (Addr w = from; w < to; w++)
            if (hs_fields[w])
                hs_fields[w] = 0;
}

static Bool is_code(Addr address) {
    const NSegment *segment = VG_(am_find_nsegment)(address);
    return segment && segment->hasX && (segment->kind == SkFileC || segment->kind == SkAnonC);
}

static Bool is_arena(const struct hs_node *node) {
    return !(node->flags & HS_KNOWN) && hs_extent_end(node) - hs_extent_start(node) >= ARENA;
}

/* The next field of the node behind an address that holds the address of code; 0: none. */
static Addr code_field(UInt node, Addr start, Addr end) {
    if (end > hs_extent_end(hs_node(node)))
        end = hs_extent_end(hs_node(node));
    for (Addr field = (start + 8) & ~(Addr)7; field < end; field += 8)
        if ((hs_fields[field >> 3] & HS_FIELD) && is_code(*(Addr *)field))
            return field;
    return 0;
}

void hs_copy_over_fields(Addr start, SizeT length, ULong site) {
    Addr end = start + length;
    copy.n = 0;
    if (!hs_fields || hs_leaving_out() || !(copy.node = hs_node_at(start)) ||
        is_arena(hs_node(copy.node)))
        return;
    copy.start = start;
    copy.length = length;
    copy.site = site;
    for (Addr field = start; copy.n < MOST_FIELDS && (field = code_field(copy.node, field, end));)
        copy.field[copy.n++] = field;
}

/* What a field holds now that was written wholly, or in part. */
static Bool is_spoiled(Addr field) {
    Addr value;
    return hs_peek(&value, field, sizeof value) && value && !is_code(value);
}

/* ---- texts that a function stores piece by piece ---- */

#define CALLS 64 /* at once; those that never return are forgotten */

static struct {
    ULong number;
    UInt n;
    struct {
        UInt node;
        Addr text, field;
    } at[MOST_FIELDS];
} calls[CALLS];

/* A copy that one of these calls made is reported already. */
static void forget_field(Addr field) {
    for (UInt c = 0; c < CALLS; c++)
        for (UInt i = 0; i < calls[c].n; i++)
            if (calls[c].at[i].field == field)
                calls[c].n = 0;
}

void hs_copied_over_fields(Addr start) {
    for (UInt i = 0; start == copy.start && i < copy.n; i++)
        if (is_spoiled(copy.field[i])) {
            hs_suspicious(HSW_SUSPICION_FIELD | HSW_POSSIBLE, copy.node, copy.start, copy.node,
                          copy.field[i], copy.length, copy.site);
            forget_field(copy.field[i]);
            break;
        }
    copy.n = 0;
}

ULong hs_call_over_fields(void) {
    static ULong number;
    number++;
    calls[number % CALLS].number = number;
    calls[number % CALLS].n = 0;
    return number;
}

void hs_text_over_fields(ULong call, Addr text, SizeT most) {
    UInt node, *n = &calls[call % CALLS].n;
    if (!hs_fields || hs_leaving_out() || !hs_is_heap(text) || !(node = hs_node_at(text)) ||
        is_arena(hs_node(node)))
        return;
    for (Addr field = text; *n < MOST_FIELDS && (field = code_field(node, field, text + most));) {
        calls[call % CALLS].at[*n].node = node;
        calls[call % CALLS].at[*n].text = text;
        calls[call % CALLS].at[(*n)++].field = field;
    }
}

void hs_texts_stored(ULong call) {
    Addr told = 0;
    if (calls[call % CALLS].number != call)
        return;
    for (UInt i = 0; i < calls[call % CALLS].n; i++) {
        Addr text = calls[call % CALLS].at[i].text, field = calls[call % CALLS].at[i].field;
        UInt node = calls[call % CALLS].at[i].node;
        if (text == told || !is_spoiled(field))
            continue;
        hs_suspicious(HSW_SUSPICION_FIELD | HSW_POSSIBLE, node, text, node, field,
                      hs_text_length(text) + 1, 0);
        told = text;
    }
}
