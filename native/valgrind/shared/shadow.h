/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where generated code finds the addresses that it needs all the time: in the thread's shadow
 * state, which it reaches by a displacement of four bytes from a register that it has anyway, while
 * a 64-bit constant costs an instruction of ten bytes each time.
 *
 * A thread has two shadow states, each as large as the guest state and laid out alike:
 *
 *     first     check: the undefined bits of registers (checker/registers.c)
 *     second    the words below, behind parts of the guest state that hold no value of the program
 *               or one that is always defined (the event counter, flags of the machine's mode, and
 *               an area that amd64 does not use);
 *               registers: check, where undefined bits came from, or
 *               general registers and YMM0 to YMM3: mode internals (discovery/derived.c)
 */
#ifndef HEAPSTORY_SHARED_SHADOW_H
#define HEAPSTORY_SHARED_SHADOW_H

#include "shared/tool.h"

enum hs_shadow {
    HS_SHADOW_RING = offsetof(VexGuestAMD64State, host_EvC_FAILADDR),
    HS_SHADOW_REACH = offsetof(VexGuestAMD64State, host_EvC_COUNTER), /* and its padding */
    HS_SHADOW_OWNER = offsetof(VexGuestAMD64State, guest_CMSTART),
    HS_SHADOW_HEADS = offsetof(VexGuestAMD64State, guest_CMLEN),
    HS_SHADOW_STATES = offsetof(VexGuestAMD64State, guest_DFLAG),    /* hs_states */
    HS_SHADOW_FRESH = offsetof(VexGuestAMD64State, guest_ACFLAG),    /* 32 states HS_FRESH */
    HS_SHADOW_UNDEFINED = offsetof(VexGuestAMD64State, guest_IDFLAG) /* groups of registers */
};

static inline void hs_set_shadow(ThreadId tid, enum hs_shadow word, const void *value) {
    VG_(set_shadow_regs_area)(tid, 2, word, sizeof value, (const UChar *)&value);
}

#endif
