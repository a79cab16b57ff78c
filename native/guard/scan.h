/* Scans: when the program ends, when it asks for one, when somebody else does, now and then.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * While the program runs, the other threads are stopped, the process is copied as by fork, they go
 * on, and the copy is scanned, at low priority unless the program waits for it. The copy is no
 * child that the program could see: it raises no signal, and wait does not know it. */
#ifndef HEAPSTORY_GUARD_SCAN_H
#define HEAPSTORY_GUARD_SCAN_H

#include "state.h"

/* Takes the signal for scans, and sets the timer if the settings ask for it. */
void scan_start(void);
/* In a forked child: the parent's scans are not its own. */
void scan_forked(void);
/* The program uses that signal itself: no more scans by it. */
void scan_without_signal(void);
/* The last one, when the program ends; `sp` is where its own part of the stack begins. */
void scan_at_end(uintptr_t sp);

#endif
