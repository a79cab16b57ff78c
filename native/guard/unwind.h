/* Callers of callers, by the unwinding tables that every compiler writes.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the tables say of an address (how far above the stack pointer, or the frame pointer, the
 * frame ends, and where the caller's frame pointer is kept) is worked out once and remembered.
 * Where there is no table, as in code that was made at run time, the frame pointer is followed.
 * What is read lies between the stack pointer and the stack's end, so it cannot fault. */
#ifndef HEAPSTORY_GUARD_UNWIND_H
#define HEAPSTORY_GUARD_UNWIND_H

#include "state.h"

/* Adds the callers of `caller` to `frames`, at most `most`, and how far above its stack pointer
 * each return address was found. Returns how many. */
uint32_t unwind(struct caller caller, uint32_t most, uintptr_t *frames, int32_t *above);

/* Code was unloaded: what is known of addresses may not be true any more. */
void unwind_forget(void);

#endif
