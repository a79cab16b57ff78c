/* What the unwinding tables of a module (.eh_frame) say of one address.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HEAPSTORY_GUARD_CFI_H
#define HEAPSTORY_GUARD_CFI_H

#include <stdint.h>

enum from { FROM_NOTHING, FROM_SP, FROM_BP };

/* The frame ends `size` bytes above a register; the return address is the word below that end. */
struct step {
    int32_t size;
    int16_t saved; /* the caller's frame pointer, relative to the end; 0: it is still in place */
    uint8_t from;  /* enum from */
};

/* For a return address. Without a table: by the frame pointer. */
struct step cfi_step(uintptr_t address);

#endif
