/* Memory as a scan reads it: straight from where it is, and only what was ever written.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A page of private memory that was never touched has no page behind it, and cannot hold the
 * address of a block: /proc/self/pagemap says which there are. So a large mapping that is mostly
 * unused costs nothing, and grows no page by being looked at. What may not be readable all the same
 * (shared memory, files that were cut off, blocks with protected parts) is copied by the kernel. */
#ifndef HEAPSTORY_GUARD_PAGES_H
#define HEAPSTORY_GUARD_PAGES_H

#include "state.h"

/* Between these two, what may be read is known. */
void pages_begin(void);
void pages_end(void);

/* Memory that a mapping allows to read, and that no other process writes; in order of address. */
void pages_may_read(uintptr_t start, uintptr_t end);
bool pages_readable(uintptr_t start, uintptr_t end);

/* The next part of readable memory that has pages, from `start` on; false if there is none. */
bool pages_next(uintptr_t start, uintptr_t end, uintptr_t *from, uintptr_t *to);

#endif
