/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A flat map, a quarter of the address space; the program's memory lies below 128 GiB, and only
 * the part behind that can be written. What is known of values that are not all defined lies in a
 * second one. Neither takes memory before it is written, and large ranges of one state take none:
 * their pages are copies, made by the kernel on the first write, of a few shared ones.
 */
#include "shared/states.h"

#include "shared/options.h"
#include "shared/syscalls.h"

extern Int VG_(safe_fd)(Int);

#define ALL_BYTES (1ul << (47 - 2))
#define OUR_BYTES (HS_STATES_END >> 2)
#define KEPT_BYTES (2 * HS_STATES_END)

/* Where kernels map nothing: pointers that are NULL, and fields behind them. */
#define NEVER_MAPPED 65536

/* A piece of the map that is replaced as a whole. */
#define SPECIAL (1ul << 20)

UChar *hs_states;
struct hs_kept *hs_kept;
static Int special[4]; /* file descriptors of a piece in one state */

static void *map(SizeT bytes, UInt protection) {
    UWord flags = VKI_MAP_PRIVATE | VKI_MAP_ANONYMOUS | VKI_MAP_NORESERVE;
    Word at = hs_syscall(__NR_mmap, 0, bytes, protection, flags, -1, 0);
    if (at < 0 && at > -4096) {
        VG_(fmsg)
        ("heapstory: no address space for the shadow (raise the limit: ulimit -v unlimited)\n");
        VG_(exit)(125);
    }
    return (void *)at;
}

void hs_states_start(void) {
    hs_states = map(ALL_BYTES, VKI_PROT_READ);
    hs_syscall(__NR_mprotect, (UWord)hs_states, OUR_BYTES, VKI_PROT_READ | VKI_PROT_WRITE, 0, 0, 0);
    hs_kept = map(KEPT_BYTES, VKI_PROT_READ | VKI_PROT_WRITE);
    hs_set_states(0, NEVER_MAPPED, HS_UNADDRESSABLE);
}

static void set_part(Addr byte, UInt from, UInt to, UInt state) {
    UChar bits = (0xFFu << 2 * from) & ((1u << 2 * to) - 1);
    hs_states[byte] = (hs_states[byte] & ~bits) | (state * 0x55 & bits);
}

/* ---- whole pieces ---- */

static Int special_of(enum hs_state state) {
    UWord piece;
    if (special[state])
        return special[state];
    special[state] = (Int)hs_syscall(__NR_memfd_create, (UWord) "heapstory", 1, 0, 0, 0, 0);
    if (special[state] >= 0)
        special[state] = VG_(safe_fd)(special[state]);
    if (special[state] < 0)
        return -1;
    hs_syscall(__NR_ftruncate, special[state], SPECIAL, 0, 0, 0, 0);
    piece = hs_syscall(__NR_mmap, 0, SPECIAL, VKI_PROT_READ | VKI_PROT_WRITE, VKI_MAP_SHARED,
                       special[state], 0);
    hs_set((void *)piece, state * 0x55, SPECIAL);
    hs_syscall(__NR_munmap, piece, SPECIAL, 0, 0, 0, 0);
    return special[state];
}

static Bool map_special(UChar *piece, enum hs_state state) {
    UWord flags = VKI_MAP_PRIVATE | VKI_MAP_FIXED | VKI_MAP_NORESERVE;
    Int file = -1;
    Word at;
    if (hs_options.without & HS_SPECIAL_PAGES)
        return False;
    if (state == HS_DEFINED)
        flags |= VKI_MAP_ANONYMOUS;
    else if ((file = special_of(state)) < 0)
        return False;
    at = hs_syscall(__NR_mmap, (UWord)piece, SPECIAL, VKI_PROT_READ | VKI_PROT_WRITE, flags, file,
                    0);
    return at == (Word)piece;
}

static void set_bytes(UChar *from, UChar *to, enum hs_state state) {
    while (from < to) {
        UChar *end = (UChar *)VG_ROUNDUP((Addr)from + 1, SPECIAL);
        if (end > to)
            end = to;
        if ((SizeT)(end - from) < SPECIAL || !map_special(from, state))
            hs_set(from, state * 0x55, end - from);
        from = end;
    }
}

/* ---- ranges ---- */

void hs_set_states(Addr start, SizeT length, enum hs_state state) {
    Addr end = start + length, first, last;
    if (end > HS_STATES_END || end < start)
        end = HS_STATES_END;
    if (start >= end)
        return;
    first = start >> 2;
    last = end >> 2;
    if (first == last) {
        set_part(first, start & 3, end & 3, state);
        return;
    }
    if (start & 3)
        set_part(first++, start & 3, 4, state);
    set_bytes(hs_states + first, hs_states + last, state);
    if (end & 3)
        set_part(last, 0, end & 3, state);
}

Addr hs_find_state(Addr start, SizeT length, UInt set) {
    Addr end = start + length;
    if (end < start || end >> 47)
        return end; /* cannot be mapped: the access faults by itself */
    while (start < end) {
        if (!(start & 31) && end - start >= 32 && !(set & HS_ANY_OF(HS_DEFINED)) &&
            !*(ULong *)(hs_states + (start >> 2)))
            start += 32;
        else if (set >> hs_state(start) & 1)
            return start;
        else
            start++;
    }
    return end;
}
