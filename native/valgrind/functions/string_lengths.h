/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long strings are. */
#ifndef HEAPSTORY_FUNCTIONS_STRING_LENGTHS_H
#define HEAPSTORY_FUNCTIONS_STRING_LENGTHS_H

#include "pub_tool_basics.h"

static inline SizeT hs_length_of(const UChar *s) {
    const UChar *p = s;
    for (; (Addr)p & 7; p++)
        if (!*p)
            return p - s;
    for (;; p += 8) { /* an aligned word never reaches into another page */
        ULong word = *(const ULong *)p;
        if ((word - 0x0101010101010101ull) & ~word & 0x8080808080808080ull)
            break;
    }
    while (*p)
        p++;
    return p - s;
}

static inline SizeT hs_length_within(const UChar *s, SizeT limit) {
    SizeT n = 0;
    while (n < limit && s[n])
        n++;
    return n;
}

static inline SizeT hs_wide_length(const UInt *s) {
    SizeT n = 0;
    while (s[n])
        n++;
    return n;
}

#endif
