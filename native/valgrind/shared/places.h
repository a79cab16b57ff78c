/* SPDX-License-Identifier: GPL-2.0-or-later */
/* FUNCTION or FILE:LINE#K, as options name a place in the program. */
#ifndef HEAPSTORY_SHARED_PLACES_H
#define HEAPSTORY_SHARED_PLACES_H

#include "shared/tool.h"

struct hs_place {
    const HChar *name; /* of the function, or of the file when there is a line */
    UInt line;
    Bool at_exit;
    ULong times, reached;
};
Bool hs_parse_place(const HChar *text, struct hs_place *place);
Bool hs_place_starts(const struct hs_place *place, Addr code);
Bool hs_place_ends(const struct hs_place *place, Addr code);
Bool hs_same_function(const HChar *wanted, const HChar *found);

#endif
