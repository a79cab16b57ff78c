/* R by scanning: which live blocks the program can still find.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HEAPSTORY_GUARD_SCAN_H
#define HEAPSTORY_GUARD_SCAN_H

#include <stdbool.h>

/* Reports live blocks that nothing refers to; `stack` is where the program's own part of the stack
 * begins: what lies below may be left over. Only the calling thread may be running; false if it
 * is not the only one, or there is no memory to do it with, and then nothing was looked for. */
bool scan_leaks(const void *stack);

#endif
