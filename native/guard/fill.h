/* Fill patterns of whole granules: written and compared, mostly a few of them.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Up to four granules are done without a branch, some of them twice: sizes change from one block
 * to the next, and a branch that was not foreseen costs more than all of this. */
#ifndef HEAPSTORY_GUARD_FILL_H
#define HEAPSTORY_GUARD_FILL_H

#include "state.h"

#include <emmintrin.h>
#include <string.h>

#define FEW ((size_t)64)

/* How many bytes of a block of this size are filled; whole granules, which libc's piece has. */
ALWAYS_INLINE size_t filled_bytes(size_t size, uint32_t most) {
    size_t whole = (size + GRANULE - 1) & ~(size_t)(GRANULE - 1);
    return whole < most ? whole : most;
}

/* The granules of up to FEW bytes, none of them beyond the last. */
struct few {
    __m128i *first, *second, *third, *last;
};
ALWAYS_INLINE struct few few_of(char *at, size_t bytes) {
    size_t last = bytes - GRANULE;
    return (struct few){(__m128i *)at, (__m128i *)(at + (last < 16 ? last : 16)),
                        (__m128i *)(at + (last < 32 ? last : 32)), (__m128i *)(at + last)};
}

ALWAYS_INLINE void fill(char *at, size_t bytes, uint8_t byte) {
    const __m128i with = _mm_set1_epi8((char)byte);
    if (unlikely(bytes - 1 >= FEW)) {
        /* No call: whoever fills keeps everything in registers that a call may change. */
        __asm__ volatile("rep stosb" : "+D"(at), "+c"(bytes) : "a"(byte) : "memory");
        return;
    }
    struct few few = few_of(at, bytes);
    *few.first = *few.second = *few.third = *few.last = with;
}

ALWAYS_INLINE bool is_filled(const char *at, size_t bytes, uint8_t byte) {
    const __m128i with = _mm_set1_epi8((char)byte);
    __m128i other = _mm_setzero_si128();
    if (unlikely(bytes - 1 >= FEW)) {
        for (const __m128i *each = (const __m128i *)at; bytes; each++, bytes -= GRANULE)
            other |= *each ^ with;
    } else {
        struct few few = few_of((char *)at, bytes);
        other =
            (*few.first ^ with) | (*few.second ^ with) | (*few.third ^ with) | (*few.last ^ with);
    }
    return _mm_movemask_epi8(_mm_cmpeq_epi8(other, _mm_setzero_si128())) == 0xffff;
}

#endif
