/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether there are stacks in recorded memory. */
#ifndef HEAPSTORY_SHARED_STACKS_H
#define HEAPSTORY_SHARED_STACKS_H

#include "shared/tool.h"

/* Whether a thread ever ran on a stack in recorded memory: a block, a variable. Until then stores
 * at a constant distance from the stack pointer are left out without a look at where they go. */
extern Bool hs_stacks_recorded;

/* A thread starts: its stack is recorded if frames are. */
void hs_stack_begins(ThreadId tid);
Bool hs_in_recorded_frames(Addr address);

/* A thread is about to run on the stack at `sp`. */
void hs_stack_seen(Addr sp);

#endif
