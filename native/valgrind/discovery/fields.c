/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mode portable: an overflow inside a node. A word that the code first accessed by itself, as 8
 * bytes at a constant distance from a pointer, is a field. A copy that starts below a field and
 * runs over it while it holds the address of code is reported as possible: it may as well be the
 * assignment of a whole structure.
 */
#include "discovery/nodes.h"

UChar *hs_fields;

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

/* Before the bytes are written. */
void hs_copy_over_fields(Addr start, SizeT length, ULong site) {
    Addr end = start + length;
    UInt node;
    if (!hs_fields || hs_leaving_out() || !(node = hs_node_at(start)))
        return;
    if (end > hs_extent_end(hs_node(node)))
        end = hs_extent_end(hs_node(node));
    for (Addr field = (start + 8) & ~(Addr)7; field < end; field += 8)
        if ((hs_fields[field >> 3] & HS_FIELD) && is_code(*(Addr *)field)) {
            hs_suspicious(HSW_SUSPICION_FIELD | HSW_POSSIBLE, node, start, node, field, length,
                          site);
            return;
        }
}
