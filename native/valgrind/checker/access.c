/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accesses that are wrong become errors: those of generated code, and the ranges that string
 * functions, rep instructions and system calls read and write.
 */
#include "checker/checker.h"
#include "checker/values.h"
#include "functions/functions.h"
#include "shared/addressable.h"
#include "shared/errors.h"
#include "shared/listeners.h"
#include "shared/modules.h"
#include "shared/options.h"
#include "shared/peek.h"
#include "walk/twins.h"

extern VexRegisterUpdates VG_(clo_px_file_backed);

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

struct hs_filled_with hs_filled_with;

static void check_range(UInt kind, Addr start, SizeT length, ULong site, Bool by_system_call) {
    SizeT touched = hs_until_fault(start, length);
    Addr bad = hs_first_unaddressable(start, touched);
    struct hs_error error = {.kind = kind,
                             .address = start,
                             .bytes = length,
                             .site = (UInt)site,
                             .by_system_call = by_system_call};
    if (bad == start + touched)
        return;
    error.block = hs_block_meant(bad);
    hs_tell_error(&error);
}

static Bool told_undefined(UInt kind, Addr start, SizeT length, ULong site) {
    Addr bad;
    if (!hs_states)
        return False;
    bad = hs_find_state(start, length, HS_ANY_OF(HS_FRESH) | HS_ANY_OF(HS_KEPT));
    if (bad == start + length)
        return False;
    hs_tell_undefined(kind, hs_origin_at(bad, 0), 0, False, (UInt)site);
    return True;
}

static void moved(Addr to, Addr from, SizeT length, ULong site) {
    if (from)
        check_range(HSW_UNADDRESSABLE_READ, from, length, site, False);
    check_range(HSW_UNADDRESSABLE_WRITE, to, length, site, False);
    if (!hs_states)
        return;
    length = hs_until_fault(to, length);
    if (from)
        hs_copy_undefined(to, from, hs_until_fault(from, length));
    else if (hs_filled_with.undefined)
        hs_fill_undefined(to, length, hs_filled_with.undefined, hs_filled_with.origin);
    else
        hs_fill_defined(to, length);
    hs_filled_with.undefined = 0;
}

static void looked(Addr start, SizeT length, ULong site) {
    check_range(HSW_UNADDRESSABLE_READ, start, length, site, False);
    told_undefined(HSW_UNDEFINED_CONDITION, start, length, site);
}

static void claimed_set(Addr start, SizeT length, Addr code) {
    UInt origin = (UInt)hs_origin_of(start, length, 0);
    hs_tell_undefined(HSW_UNDEFINED_ARGUMENT, origin, code, hs_is_own(code), 0);
}

/* As with faults, it is told of whoever jumped there; not again of what follows. */
void hs_check_code(const struct hs_superblock *b) {
    static Addr wrong_until;
    UInt length = 0;
    Addr end = b->start;
    for (Int i = 0; i < b->in->stmts_used; i++)
        if (b->in->stmts[i]->tag == Ist_IMark) {
            end = b->in->stmts[i]->Ist.IMark.addr + b->in->stmts[i]->Ist.IMark.len;
            length = length ? length : b->in->stmts[i]->Ist.IMark.len;
        }
    if (hs_states ? hs_find_state(b->start, length, ~HS_ANY_OF(HS_DEFINED)) == b->start + length
                  : hs_first_unaddressable(b->start, length) == b->start + length)
        return;
    if (b->start != wrong_until) {
        check_range(HSW_UNADDRESSABLE_READ, b->start, length, 0, False);
        told_undefined(HSW_UNDEFINED_CONDITION, b->start, length, 0);
    }
    wrong_until = end;
}

/* The kernel does not fault, so memory that is not mapped is looked for here as well. */
static Bool check_argument(UInt kind, Addr start, SizeT length, UInt protection) {
    struct hs_error error = {
        .kind = kind, .address = start, .bytes = length, .by_system_call = True};
    if (length && !VG_(am_is_valid_for_client)(start, length, protection)) {
        hs_tell_error(&error);
        return False;
    }
    check_range(kind, start, length, 0, True);
    return True;
}

static void system_reads(Addr start, SizeT length) {
    if (check_argument(HSW_UNADDRESSABLE_READ, start, length, VKI_PROT_READ))
        told_undefined(HSW_UNDEFINED_ARGUMENT, start, length, 0);
}

static void system_writes(Addr start, SizeT length) {
    check_argument(HSW_UNADDRESSABLE_WRITE, start, length, VKI_PROT_WRITE);
}

static const struct hs_listener listener = {.moved = moved,
                                            .looked = looked,
                                            .claimed_set = claimed_set,
                                            .system_reads = system_reads,
                                            .system_writes = system_writes};

/* ---- memory that comes and goes ---- */

static void mapped(const struct hs_mapping *mapping) {
    hs_set_states(mapping->start, mapping->length, HS_DEFINED);
}

static void unmapped(Addr start, SizeT length) {
    hs_set_states(start, length, HS_UNADDRESSABLE);
}

static void remapped(Addr from, Addr to, SizeT length) {
    hs_set_states(to, length, HS_DEFINED);
    hs_move_undefined(to, from, length);
}

static void appeared(Addr start, SizeT length) {
    hs_set_states(start, length, HS_DEFINED);
}

static void thread_starts(ThreadId tid) {
    VG_(details_name)("heapstory");
}

static const struct hs_listener memory_listener = {.ends = hs_say_statistics,
                                                   .thread_starts = thread_starts,
                                                   .mapped = mapped,
                                                   .unmapped = unmapped,
                                                   .remapped = remapped,
                                                   .brk_grows = appeared,
                                                   .brk_shrinks = unmapped,
                                                   .reallocated = hs_move_undefined,
                                                   .system_reads_text = system_reads,
                                                   .written_outside = hs_fill_defined};

void hs_checker_start(void) {
    hs_listen(&listener);
    if (!hs_options.values) {
        hs_addressable_start();
        return;
    }
    /* Valgrind replaces the dynamic linker's own string functions, which read beyond strings, for
     * tools of certain names only; it asks next, and the first thread has the name back. */
    VG_(details_name)("Memcheck");
    hs_twins = hs_options.speculate;
    if (hs_twins) /* registers are right where an instruction begins */
        VG_(clo_vex_control).iropt_register_updates_default = VG_(clo_px_file_backed) =
            VexRegUpdAllregsAtEachInsn;
    hs_states_start();
    hs_listen(&memory_listener);
    hs_registers_start();
    hs_swaps_start();
    hs_sentinels_start();
}
