/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The shadow of registers: written by generated code of the slow kind, and by what the core says of
 * system calls, signals and client requests.
 *
 * Fast code knows of it only which groups of registers have an undefined one. A group is a general
 * register, the flags, a vector register, or all of the x87's.
 */
#include "checker/checker.h"
#include "checker/values.h"
#include "shared/listeners.h"
#include "shared/shadow.h"

#define OFFSET(name) ((Int)offsetof(VexGuestAMD64State, guest_##name))
#define FIRST_VECTOR 17
#define X87 (HS_GROUPS - 1)
#define GUEST_SIZE ((Int)sizeof(VexGuestAMD64State))

/* Holds no value of the program, or one that is always defined (the stack pointer: it is looked at
 * where it is set). */
static const struct {
    Int offset, size;
} always_defined[] = {
    {0, OFFSET(RAX)},      {OFFSET(RSP), 8},
    {OFFSET(CC_OP), 8},    {OFFSET(CC_NDEP), 8},
    {OFFSET(DFLAG), 8},    {OFFSET(RIP), 8},
    {OFFSET(ACFLAG), 8},   {OFFSET(IDFLAG), 8},
    {OFFSET(FS_CONST), 8}, {OFFSET(SSEROUND), 8},
    {OFFSET(FTOP), 8},     {OFFSET(FPTAG), 8},
    {OFFSET(FPROUND), 8},  {OFFSET(FC3210), 8},
    {OFFSET(EMNOTE), 8},   {OFFSET(CMSTART), GUEST_SIZE - OFFSET(CMSTART)},
};

Bool hs_is_always_defined(Int offset, Int size) {
    for (UInt i = 0; i < sizeof always_defined / sizeof *always_defined; i++)
        if (offset >= always_defined[i].offset &&
            offset + size <= always_defined[i].offset + always_defined[i].size)
            return True;
    return False;
}

Int hs_group_of(Int offset) {
    if (hs_is_always_defined(offset, 1))
        return -1;
    if (offset < OFFSET(CC_OP))
        return (offset - OFFSET(RAX)) / 8;
    if (offset < OFFSET(DFLAG))
        return 16;
    return offset < OFFSET(FTOP) ? FIRST_VECTOR + (offset - OFFSET(YMM0)) / 32 : X87;
}

/* Where a group's registers lie. */
static void extent(Int group, Int *offset, Int *size) {
    *offset = group < 16             ? OFFSET(RAX) + 8 * group
              : group < FIRST_VECTOR ? OFFSET(CC_DEP1)
              : group < X87          ? OFFSET(YMM0) + 32 * (group - FIRST_VECTOR)
                                     : OFFSET(FPREG);
    *size = group < 16 ? 8 : group < FIRST_VECTOR ? 16 : group < X87 ? 32 : 64;
}

static ULong updated(const UChar *shadow, ULong before, ULong groups) {
    for (Int group = 0; group < HS_GROUPS; group++) {
        Int offset, size;
        ULong any = 0;
        if (!(groups >> group & 1))
            continue;
        extent(group, &offset, &size);
        for (Int i = 0; i < size; i += 8)
            any |= *(const ULong *)(shadow + offset + i);
        before = any ? before | 1ull << group : before & ~(1ull << group);
    }
    return before;
}

void hs_update_groups(void *guest, ULong groups) {
    UChar *state = guest;
    ULong *undefined = (ULong *)(state + 2 * GUEST_SIZE + HS_SHADOW_UNDEFINED);
    *undefined = updated(state + GUEST_SIZE, *undefined, groups);
}

/* ---- what the core says ---- */

static void set_defined(ThreadId tid, PtrdiffT offset, SizeT size) {
    static const UChar zeros[sizeof(VexGuestAMD64State)];
    static UChar shadow[sizeof(VexGuestAMD64State)];
    ULong undefined;
    tl_assert(size <= sizeof zeros);
    VG_(set_shadow_regs_area)(tid, 1, offset, size, zeros);
    VG_(get_shadow_regs_area)(tid, shadow, 1, 0, sizeof shadow);
    undefined = updated(shadow, 0, (1ull << HS_GROUPS) - 1);
    hs_set_shadow(tid, HS_SHADOW_UNDEFINED, (void *)undefined);
}

static void register_written(CorePart part, ThreadId tid, PtrdiffT offset, SizeT size) {
    set_defined(tid, offset, size);
}

static void register_written_by_call(ThreadId tid, PtrdiffT offset, SizeT size, Addr function) {
    set_defined(tid, offset, size);
}

static void system_reads_register(ThreadId tid, PtrdiffT offset, SizeT size) {
    ULong undefined = 0;
    UInt origin = 0;
    if (size > sizeof undefined)
        return;
    VG_(get_shadow_regs_area)(tid, (UChar *)&undefined, 1, offset, size);
    VG_(get_shadow_regs_area)(tid, (UChar *)&origin, 2, offset & ~7, sizeof origin);
    if (undefined)
        hs_tell_undefined(HSW_UNDEFINED_ARGUMENT, origin, 0, False, 0);
}

static void thread_starts(ThreadId tid) {
    hs_set_shadow(tid, HS_SHADOW_STATES, hs_states);
    hs_set_shadow(tid, HS_SHADOW_FRESH, (void *)0x5555555555555555ull);
}

static const struct hs_listener listener = {.thread_starts = thread_starts,
                                            .system_reads_register = system_reads_register};

void hs_registers_start(void) {
    hs_listen(&listener);
    VG_(track_post_reg_write)(register_written);
    VG_(track_post_reg_write_clientcall_return)(register_written_by_call);
}
