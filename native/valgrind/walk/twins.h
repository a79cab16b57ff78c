/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two translations of the same code: fast, and slow. */
#ifndef HEAPSTORY_WALK_TWINS_H
#define HEAPSTORY_WALK_TWINS_H

#include "shared/tool.h"

/* The slow translation of the code at an address is kept as that of the address + HS_TWIN, where no
 * code is. A jump there enters it. */
#define HS_TWIN (1ull << 45)

extern Bool hs_twins; /* whether there are any */

/* Between superblocks a thread may be about to enter slow code: gives it its real address. */
void hs_forget_twin(ThreadId tid);

/* Where PUTs of an instruction come before its last access of memory, they are moved behind it, so
 * that the superblock can be left before the access as if the instruction had not begun. */
IRSB *hs_delay_puts(IRSB *in);
/* Takes out the PUTs that are overwritten before the superblock can be left. */
void hs_drop_puts(IRSB *out);

#endif
