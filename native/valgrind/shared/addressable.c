/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A flat map, an eighth of the address space, of which only the parts behind heaps are ever
 * written. Heaps lie below 128 GiB; higher addresses, which a program may ask for, read as zeros.
 */
#include "shared/addressable.h"

#include "shared/syscalls.h"

#define ALL_BYTES (1ul << (47 - 3))
#define HEAP_BYTES (1ul << (37 - 3))

UChar *hs_unaddressable;

void hs_addressable_start(void) {
    UWord flags = VKI_MAP_PRIVATE | VKI_MAP_ANONYMOUS | VKI_MAP_NORESERVE;
    Word map = hs_syscall(__NR_mmap, 0, ALL_BYTES, VKI_PROT_READ, flags, -1, 0);
    if (map < 0 && map > -4096) {
        VG_(fmsg)
        ("heapstory: no address space for the shadow (raise the limit: ulimit -v unlimited)\n");
        VG_(exit)(125);
    }
    hs_syscall(__NR_mprotect, map, HEAP_BYTES, VKI_PROT_READ | VKI_PROT_WRITE, 0, 0, 0);
    hs_unaddressable = (UChar *)map;
}

static void set_bits(Addr byte, UInt from, UInt to, Bool on) {
    UChar bits = (0xFFu << from) & ((1u << to) - 1);
    if (on)
        hs_unaddressable[byte] |= bits;
    else
        hs_unaddressable[byte] &= ~bits;
}

static void set(Addr start, SizeT length, Bool on) {
    Addr end = start + length, first = start >> 3, last = end >> 3;
    if (hs_states) {
        hs_set_states(start, length, on ? HS_UNADDRESSABLE : HS_FRESH);
        return;
    }
    tl_assert(last < HEAP_BYTES);
    if (first == last) {
        set_bits(first, start & 7, end & 7, on);
        return;
    }
    if (start & 7)
        set_bits(first++, start & 7, 8, on);
    hs_set(hs_unaddressable + first, on ? 0xFF : 0, last - first);
    if (end & 7)
        set_bits(last, 0, end & 7, on);
}

void hs_make_unaddressable(Addr start, SizeT length) {
    set(start, length, True);
}

void hs_make_addressable(Addr start, SizeT length) {
    set(start, length, False);
}

static Bool is_bad(Addr address) {
    return hs_unaddressable[address >> 3] >> (address & 7) & 1;
}

Addr hs_first_unaddressable(Addr start, SizeT length) {
    Addr end = start + length;
    if (hs_states)
        return hs_find_state(start, length, HS_ANY_OF(HS_UNADDRESSABLE));
    if (end < start || end >> 47)
        return end; /* cannot be mapped: the access faults by itself */
    while (start < end) {
        if (!(start & 63) && end - start >= 64 && !*(ULong *)(hs_unaddressable + (start >> 3)))
            start += 64;
        else if (is_bad(start))
            return start;
        else
            start++;
    }
    return end;
}

Bool hs_word_is_set(Addr word) {
    if (hs_states)
        return hs_find_state(word, 8, ~HS_ANY_OF(HS_DEFINED)) == word + 8;
    return !hs_unaddressable || hs_first_unaddressable(word, 8) == word + 8;
}
