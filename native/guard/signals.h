/* Signals as the program sees them, and as they are.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The signal of scans stays unblocked in every thread, whatever mask the program sets; the program
 * is shown the mask it set. A program that uses that very signal is left alone: it is its own from
 * then on, and scans do without. A system call that no function of libc is between is not seen:
 * threads.c asks the kernel which threads block the signal all the same. */
#ifndef HEAPSTORY_GUARD_SIGNALS_H
#define HEAPSTORY_GUARD_SIGNALS_H

#include "state.h"

#include <signal.h>

/* `then` is called when the program turns out to use the signal of scans itself. */
void signals_start(void (*then)(void));
/* Whether the program uses the signal of scans itself. */
bool signals_theirs(void);
/* In a handler of that signal: puts off one that the program has blocked; false: it has not. */
bool signals_put_off(siginfo_t *info, void *context);
/* Around what starts another program: it inherits the mask that this one set. */
void signals_hand_over(void);
void signals_take_back(void);

#endif
