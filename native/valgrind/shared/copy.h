/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copying and filling for the tool, which has no C library. Sizes are mostly small. */
#ifndef HEAPSTORY_COPY_H
#define HEAPSTORY_COPY_H

#include "pub_tool_basics.h"

typedef ULong hs_unaligned __attribute__((aligned(1), may_alias));
typedef UInt hs_unaligned4 __attribute__((aligned(1), may_alias));
typedef UShort hs_unaligned2 __attribute__((aligned(1), may_alias));
typedef ULong hs_vector __attribute__((vector_size(16), aligned(1), may_alias));

/* The regions do not overlap. */
static inline void hs_copy(void *to, const void *from, SizeT n) {
    UChar *d = to;
    const UChar *s = from;
    if (n >= 512) {
        __asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(n) : : "memory");
        return;
    }
    if (n >= 16) {
        SizeT i;
        for (i = 0; i + 16 <= n; i += 16)
            *(hs_vector *)(d + i) = *(const hs_vector *)(s + i);
        *(hs_vector *)(d + n - 16) = *(const hs_vector *)(s + n - 16);
    } else if (n >= 8) {
        ULong a = *(const hs_unaligned *)s, b = *(const hs_unaligned *)(s + n - 8);
        *(hs_unaligned *)d = a;
        *(hs_unaligned *)(d + n - 8) = b;
    } else if (n >= 4) {
        UInt a = *(const hs_unaligned4 *)s, b = *(const hs_unaligned4 *)(s + n - 4);
        *(hs_unaligned4 *)d = a;
        *(hs_unaligned4 *)(d + n - 4) = b;
    } else
        for (SizeT i = 0; i < n; i++)
            d[i] = s[i];
}

static inline void hs_copy_backwards(void *to, const void *from, SizeT n) {
    UChar *d = to;
    const UChar *s = from;
    while (n >= 8) {
        n -= 8;
        *(hs_unaligned *)(d + n) = *(const hs_unaligned *)(s + n);
    }
    while (n > 0) {
        n--;
        d[n] = s[n];
    }
}

/* Any overlap. */
static inline void hs_move(void *to, const void *from, SizeT n) {
    UChar *d = to;
    const UChar *s = from;
    if ((Addr)d - (Addr)s >= n && (Addr)s - (Addr)d >= n)
        hs_copy(d, s, n);
    else if (d < s && n >= 512)
        __asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(n) : : "memory");
    else if (d < s) {
        for (; (Addr)s - (Addr)d >= 8 && n >= 8; d += 8, s += 8, n -= 8)
            *(hs_unaligned *)d = *(const hs_unaligned *)s;
        for (; n > 0; n--)
            *d++ = *s++;
    } else if ((Addr)d - (Addr)s >= 8)
        hs_copy_backwards(d, s, n);
    else
        while (n > 0) {
            n--;
            d[n] = s[n];
        }
}

static inline void hs_set(void *to, UChar byte, SizeT n) {
    UChar *d = to;
    if (n >= 256) {
        __asm__ volatile("rep stosb" : "+D"(d), "+c"(n) : "a"(byte) : "memory");
        return;
    }
    if (n >= 8) {
        ULong word = byte * 0x0101010101010101ull;
        for (SizeT i = 0; i + 8 <= n; i += 8)
            *(hs_unaligned *)(d + i) = word;
        *(hs_unaligned *)(d + n - 8) = word;
        return;
    }
    for (SizeT i = 0; i < n; i++)
        d[i] = byte;
}

#endif
