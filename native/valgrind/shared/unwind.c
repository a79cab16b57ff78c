/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where functions begin and end, in modules without symbols too: read off the unwind table, which
 * the ABI asks of every module (.eh_frame_hdr: a sorted list of functions). Only the encodings that
 * linkers write are understood; code without an unwind table has no functions.
 */
#include "shared/unwind.h"

#include "shared/modules.h"

struct header {
    UChar version, pointer_encoding, count_encoding, table_encoding;
    Int pointer;
    UInt count;
};
struct row {
    Int function, description; /* relative to the header */
};
struct description {
    UInt length;
    Int common;
    Int function; /* relative to this member */
    UInt bytes;
};

static Bool can_read(Addr start, SizeT length) {
    return VG_(am_is_valid_for_client)(start, length, VKI_PROT_READ);
}

/* Number of rows whose functions begin at or below the code. */
static UInt count_below(const struct header *header, const struct row *rows, Addr code) {
    UInt low = 0, high = header->count;
    while (low < high) {
        UInt middle = (low + high) / 2;
        if ((Addr)header + rows[middle].function <= code)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

Bool hs_function_around(Addr code, struct hs_function *function) {
    static const UChar encodings[] = {1, 0x1b, 0x03, 0x3b};
    const struct header *header = (const struct header *)hs_unwind_table(code);
    const struct row *rows = (const struct row *)(header + 1);
    const struct description *found;
    UInt below;
    if (!header || !can_read((Addr)header, sizeof *header) ||
        VG_(memcmp)(header, encodings, sizeof encodings) != 0 ||
        !can_read((Addr)rows, header->count * sizeof *rows))
        return False;
    below = count_below(header, rows, code);
    if (!below)
        return False;
    found = (const struct description *)((Addr)header + rows[below - 1].description);
    if (!can_read((Addr)found, sizeof *found))
        return False;
    function->start = (Addr)&found->function + found->function;
    function->end = function->start + found->bytes;
    return function->start == (Addr)header + rows[below - 1].function && code < function->end;
}
