/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ranged stores: one operation, many bytes. Only the parts in recorded pages are sent; a piece that
 * is followed by another of the same operation carries HSW_RANGE_MORE.
 */
#include "shared/ranges.h"

#include "shared/listeners.h"
#include "shared/options.h"
#include "shared/pages.h"
#include "shared/ring.h"

static Addr page_end(Addr address) {
    return (address | ((1ul << HS_PAGE_BITS) - 1)) + 1;
}

/* The next recorded part of [from, end) as [*start, *stop); False if there is none. */
static Bool next_part(Addr from, Addr end, Addr *start, Addr *stop) {
    while (from < end && !hs_page_is_on(from))
        from = page_end(from);
    if (from >= end)
        return False;
    *start = from;
    while (from < end && hs_page_is_on(from))
        from = page_end(from);
    *stop = from < end ? from : end;
    return True;
}

/* As next_part, but never longer than what fits into one record. */
static Bool next_piece(Addr from, Addr end, Addr *start, Addr *stop) {
    if (!next_part(from, end, start, stop))
        return False;
    if (*stop - *start > HS_PAYLOAD_MAX)
        *stop = *start + HS_PAYLOAD_MAX;
    return True;
}

static void send(Addr start, const UChar *bytes, SizeT length, UInt kind, ULong site) {
    Addr end = start + length, from, to, next_from, next_to;
    Bool more = next_piece(start, end, &from, &to);
    while (more) {
        UInt flag;
        more = next_piece(to, end, &next_from, &next_to);
        flag = more ? HSW_RANGE_MORE : 0;
        hs_append_payload(HSW_WORD(HSW_RANGE, from), (to - from) | (ULong)(kind | flag) << 56,
                          bytes + (from - start), to - from, site);
        from = next_from;
        to = next_to;
    }
}

void hs_send_range(Addr start, SizeT length, UInt kind, ULong site) {
    send(start, (const UChar *)start, length, kind, site);
}

/* False if a listener sends it in its own time. */
static Bool tell(Addr start, SizeT length, UInt kind, UChar byte, ULong site) {
    Bool send = True;
    for (const struct hs_listener **l = hs_listeners; *l; l++)
        if ((*l)->wrote && !(*l)->wrote(start, length, kind, byte, site))
            send = False;
    return send;
}

void hs_range(Addr start, SizeT length, UInt kind, ULong site) {
    if (hs_options.stores && tell(start, length, kind, 0, site))
        hs_send_range(start, length, kind, site);
}

void hs_range_of(Addr start, const void *bytes, SizeT length, UInt kind, ULong site) {
    if (hs_options.stores && tell(start, length, kind, 0, site))
        send(start, bytes, length, kind, site);
}

void hs_fill(Addr start, SizeT length, UChar byte, ULong site) {
    if (hs_options.stores && tell(start, length, HSW_RANGE_FILL, byte, site))
        hs_send_fill(start, length, byte, site);
}

void hs_send_fill(Addr start, SizeT length, UChar byte, ULong site) {
    Addr end = start + length, from, to, next_from, next_to;
    Bool more = next_part(start, end, &from, &to);
    while (more) {
        UInt flag;
        more = next_part(to, end, &next_from, &next_to);
        flag = more ? HSW_RANGE_MORE : 0;
        hs_make_room();
        hs_record(HSW_RANGE, from, (to - from) | (ULong)(HSW_RANGE_FILL | flag) << 56);
        hs_record(HSW_FILL, site, byte);
        from = next_from;
        to = next_to;
    }
}
