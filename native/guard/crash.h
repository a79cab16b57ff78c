/* Crashes: fill patterns in registers, the faulting address and the top of the stack.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HEAPSTORY_GUARD_CRASH_H
#define HEAPSTORY_GUARD_CRASH_H

#include <signal.h>

/* Watches for the signals of a crash that the program does not handle itself. */
void crash_start(void);
/* sigaction: the program sees its own settings, never ours; a handler of its own takes our place.
 */
int crash_action(int number, const struct sigaction *action, struct sigaction *old);

#endif
