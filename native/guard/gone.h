/* Large blocks that were given back to the kernel: a later access faults, and is explained by them.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HEAPSTORY_GUARD_GONE_H
#define HEAPSTORY_GUARD_GONE_H

#include "blocks.h"

#define GONE_LEAST ((size_t)64 << 10) /* smaller ones stay part of libc's heap */

/* Remembers a block that is being given back; `other` is the site of its free. */
void gone_add(const struct block *block);
/* The last block that had an address; false if none is remembered. */
bool gone_find(uintptr_t address, struct block *block);

#endif
