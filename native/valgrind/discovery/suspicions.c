/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Suspicious accesses: said a few times per statement, then only counted. */
#include "discovery/nodes.h"

#define MOST_PER_SITE 16

static UChar *said; /* by site */
static UInt room;

static Bool is_new(UInt site, UInt most) {
    if (site >= room) {
        UInt more = site + site / 2 + 1024;
        said = VG_(realloc)("hs.said", said, more);
        VG_(memset)(said + room, 0, more - room);
        room = more;
    }
    if (said[site] >= most)
        return False;
    said[site]++;
    return True;
}

void hs_suspicious(UInt kind, UInt base_node, Addr base, UInt node, Addr address, SizeT size,
                   UInt site) {
    UInt most = (kind & ~HSW_POSSIBLE) == HSW_SUSPICION_STALE ? 1 : MOST_PER_SITE;
    if (!is_new(site, most)) {
        hs_count(HSW_COUNTED_SILENT);
        return;
    }
    hs_make_room();
    hs_record(HSW_SUSPICIOUS, address,
              hs_node(base_node)->id | (ULong)site << 32 | (ULong)kind << 56);
    hs_record(HSW_SUSPECT, base,
              (node ? hs_node(node)->id : 0) | (ULong)(size > ~0u ? ~0u : size) << 32);
}
