/* Crashes: fill patterns in registers, the faulting address and the top of the stack.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HEAPSTORY_GUARD_CRASH_H
#define HEAPSTORY_GUARD_CRASH_H

/* Watches for the signals of a crash that the program does not handle itself. */
void crash_start(void);

#endif
