/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accesses that are wrong become errors: those of generated code, and the ranges that string
 * functions, rep instructions and system calls read and write.
 */
#include "checker/checker.h"
#include "functions/functions.h"
#include "shared/addressable.h"
#include "shared/errors.h"
#include "shared/listeners.h"

void hs_bad_access(Addr address, Addr instruction, ULong what) {
    SizeT bytes = what >> 2;
    struct hs_error error = {.kind = what & 2 ? HSW_UNADDRESSABLE_WRITE : HSW_UNADDRESSABLE_READ,
                             .address = address,
                             .bytes = bytes,
                             .block = hs_block_meant(hs_first_unaddressable(address, bytes)),
                             .code = instruction,
                             .own = what & 1};
    hs_tell_error(&error);
}

void hs_check_access(Addr address, Addr instruction, ULong what) {
    SizeT bytes = what >> 2;
    if (hs_first_unaddressable(address, bytes) != address + bytes)
        hs_bad_access(address, instruction, what);
}

/* ---- ranges ---- */

static void check_range(UInt kind, Addr start, SizeT length, ULong site, Bool by_system_call) {
    Addr bad = hs_first_unaddressable(start, length);
    struct hs_error error = {.kind = kind,
                             .address = start,
                             .bytes = length,
                             .site = (UInt)site,
                             .by_system_call = by_system_call};
    if (bad == start + length)
        return;
    error.block = hs_block_meant(bad);
    hs_tell_error(&error);
}

static void moved(Addr to, Addr from, SizeT length, ULong site) {
    if (from)
        check_range(HSW_UNADDRESSABLE_READ, from, length, site, False);
    check_range(HSW_UNADDRESSABLE_WRITE, to, length, site, False);
}

static void looked(Addr start, SizeT length, ULong site) {
    check_range(HSW_UNADDRESSABLE_READ, start, length, site, False);
}

/* The kernel does not fault, so memory that is not mapped is looked for here as well. */
static void check_argument(UInt kind, Addr start, SizeT length, UInt protection) {
    struct hs_error error = {
        .kind = kind, .address = start, .bytes = length, .by_system_call = True};
    if (length && !VG_(am_is_valid_for_client)(start, length, protection))
        hs_tell_error(&error);
    else
        check_range(kind, start, length, 0, True);
}

static void system_reads(Addr start, SizeT length) {
    check_argument(HSW_UNADDRESSABLE_READ, start, length, VKI_PROT_READ);
}

static void system_writes(Addr start, SizeT length) {
    check_argument(HSW_UNADDRESSABLE_WRITE, start, length, VKI_PROT_WRITE);
}

static const struct hs_listener listener = {
    .moved = moved, .looked = looked, .system_reads = system_reads, .system_writes = system_writes};

void hs_checker_start(void) {
    hs_addressable_start();
    hs_listen(&listener);
}
