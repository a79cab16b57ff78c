/* Scans: when the program ends, when it asks for one, when somebody else does, now and then.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * While the program runs, the other threads are stopped, the process is copied as by fork, they go
 * on, and the copy is scanned, at low priority unless the program waits for it. The copy is no
 * child that the program could see: it raises no signal, and wait does not know it. */
#ifndef HEAPSTORY_GUARD_SCAN_H
#define HEAPSTORY_GUARD_SCAN_H

#include "threads.h"

/* Where a thread stands. */
struct here {
    uintptr_t sp;
    uintptr_t registers[MOST_WORDS];
};

/* Registers that a call preserves: whoever called us may keep an address there. */
static __attribute__((always_inline)) inline struct here stand_here(void) {
    struct here here = {.sp = (uintptr_t)__builtin_frame_address(0)};
    __asm__ volatile(
        "movq %%rbx, %0; movq %%r12, %1; movq %%r13, %2; movq %%r14, %3; movq %%r15, %4"
        : "=m"(here.registers[0]), "=m"(here.registers[1]), "=m"(here.registers[2]),
          "=m"(here.registers[3]), "=m"(here.registers[4]));
    return here;
}

/* Takes the signal for scans, and sets the timer if the settings ask for it. */
void scan_start(void);
/* In a child that `parent` has forked: the parent's scans are not its own, and neither is what it
 * inherits, unless the parent, of one thread then, has ended: it goes on in the child (a daemon).
 * What other threads keep in registers nobody sees in the child. */
void scan_forked(int parent, bool alone);
/* The first scan that blocks of this process itself can have been made after. */
uint16_t scan_own(void);
/* The program uses that signal itself: no more scans by it. */
void scan_without_signal(void);
/* The last one, when the program ends; `own`: blocks of its own that are live. Whether there was
 * anything to look for. */
bool scan_at_end(const struct here *here, uint64_t own);

#endif
