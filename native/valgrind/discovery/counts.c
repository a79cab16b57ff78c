/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often node discovery met what it cannot tell apart, sent at the end. */
#include "discovery/nodes.h"

static ULong counts[HSW_COUNTED_CROWDED + 1];

void hs_count(UInt what) {
    counts[what]++;
}

void hs_send_counts(void) {
    for (UInt i = 1; i <= HSW_COUNTED_CROWDED; i++)
        if (counts[i])
            hs_record(HSW_COUNTED, i, counts[i]);
}
