/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the program maps and unmaps, passed on to who listens. */
#ifndef HEAPSTORY_SHARED_MEMORY_H
#define HEAPSTORY_SHARED_MEMORY_H

#include "shared/tool.h"

void hs_memory_init(void);
void hs_memory_mmap_flags(UWord flags); /* of the mmap that is under way, else 0 */

#endif
