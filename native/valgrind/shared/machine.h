/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of amd64: registers and the bytes of instructions. */
#ifndef HEAPSTORY_SHARED_MACHINE_H
#define HEAPSTORY_SHARED_MACHINE_H

#include "shared/tool.h"

extern const UShort hs_dwarf_registers[16]; /* offsets in the guest state by DWARF's numbers */

/* Whether a call may end just before: there is code, and its last bytes are those of a call. */
Bool hs_follows_call(Addr address);

#endif
