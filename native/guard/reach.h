/* R: which live blocks the program can still find.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Roots are the stacks and registers of all threads, all writable memory that is not libc's heap
 * (data of modules, thread-local data, memory that the program mapped itself), and what it
 * declared. From there every aligned word is followed that is an address within a live block. An
 * address that is not a multiple of eight marks its block but does not open it, since nothing that
 * holds pointers lies there; unless it is the block's start with a tag in its low bits, which is
 * how libc's tsearch keeps its nodes. */
#ifndef HEAPSTORY_GUARD_REACH_H
#define HEAPSTORY_GUARD_REACH_H

#include "heap.h"

/* Marks what is reached, between heap_begin and heap_end. `sp` is where the calling thread's own
 * part of its stack begins: what lies below may be left over. False without memory. */
bool reach(uintptr_t sp, const uintptr_t *registers, unsigned count);

#endif
