/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading memory of the program that may not be there. */
#ifndef HEAPSTORY_SHARED_PEEK_H
#define HEAPSTORY_SHARED_PEEK_H

#include "shared/tool.h"

/* Copies the program's memory to `to`. False where not all of it can be read. */
Bool hs_peek(void *to, Addr from, SizeT length);
/* How many bytes of a range, from its start, the program can touch; all of a short one. A size that
 * was computed wrongly may be larger than all memory. */
SizeT hs_until_fault(Addr start, SizeT length);
/* The end of the readable memory that begins at `from`, up to `end`, page by page. */
Addr hs_readable_end(Addr from, Addr end);

#endif
