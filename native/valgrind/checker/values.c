/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which bits of the program's memory are undefined, for generated code of the slow kind and for
 * ranged operations. `undefined` has a bit set for every undefined bit of a value.
 */
#include "checker/values.h"

#include "checker/checker.h"
#include "functions/functions.h"
#include "shared/errors.h"
#include "shared/states.h"

/* ---- single accesses ---- */

static UInt undefined_byte(Addr address) {
    switch (hs_state(address)) {
    case HS_FRESH:
        return 0xFF;
    case HS_KEPT:
        return hs_kept[address >> 2].undefined[address & 3];
    default:
        return 0; /* what cannot be read was reported, once is enough */
    }
}

ULong hs_undefined_at(Addr address, ULong size) {
    ULong undefined = 0;
    if (address >> 47)
        return 0;
    for (UInt i = 0; i < size; i++)
        undefined |= (ULong)undefined_byte(address + i) << 8 * i;
    return undefined;
}

ULong hs_load_undefined(Addr address, Addr instruction, ULong what) {
    hs_check_access(address, instruction, what);
    return hs_undefined_at(address, what >> 2);
}

static void store_byte(Addr address, UInt undefined, UInt origin) {
    if (hs_state(address) == HS_UNADDRESSABLE)
        return;
    hs_set_state(address, undefined ? HS_KEPT : HS_DEFINED);
    if (undefined) {
        hs_kept[address >> 2].undefined[address & 3] = undefined;
        hs_kept[address >> 2].origin = origin;
    }
}

void hs_set_undefined_at(Addr address, ULong size, ULong undefined, ULong origin) {
    if (address >= HS_STATES_END)
        return;
    for (UInt i = 0; i < size; i++)
        store_byte(address + i, undefined >> 8 * i & 0xFF, (UInt)origin);
}

/* ---- ranges ---- */

static void copy_state(Addr to, Addr from, Bool moves) {
    UInt state = hs_state(from);
    if (hs_state(to) == HS_UNADDRESSABLE)
        return;
    if (state == HS_DEFINED || state == HS_UNADDRESSABLE)
        hs_set_state(to, HS_DEFINED);
    else if (state == HS_FRESH && moves)
        hs_set_state(to, HS_FRESH);
    else
        store_byte(to, undefined_byte(from), hs_origin_at(from, 0));
}

static Bool all_defined(Addr start, SizeT length) {
    return hs_find_state(start, length, ~HS_ANY_OF(HS_DEFINED)) == start + length;
}

static void copy_states(Addr to, Addr from, SizeT length, Bool moves) {
    if (to == from || to + length > HS_STATES_END || from + length > HS_STATES_END)
        return;
    if (all_defined(from, length)) {
        hs_fill_defined(to, length);
        return;
    }
    if (to < from)
        for (SizeT i = 0; i < length; i++)
            copy_state(to + i, from + i, moves);
    else
        for (SizeT i = length; i-- > 0;)
            copy_state(to + i, from + i, moves);
}

void hs_copy_undefined(Addr to, Addr from, SizeT length) {
    copy_states(to, from, length, False);
}

void hs_move_undefined(Addr to, Addr from, SizeT length) {
    copy_states(to, from, length, True);
}

void hs_fill_defined(Addr start, SizeT length) {
    Addr end = start + length;
    if (end > HS_STATES_END || end < start)
        return;
    while (start < end) {
        Addr bad = hs_find_state(start, end - start, HS_ANY_OF(HS_UNADDRESSABLE));
        hs_set_states(start, bad - start, HS_DEFINED);
        start = bad;
        while (start < end && hs_state(start) == HS_UNADDRESSABLE)
            start++;
    }
}

void hs_fill_undefined(Addr start, SizeT length, ULong undefined, ULong origin) {
    for (SizeT i = 0; i < length && start + i < HS_STATES_END; i++)
        store_byte(start + i, undefined & 0xFF, (UInt)origin);
}
