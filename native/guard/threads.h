/* The other threads of the process: made to stand still for a moment, without ptrace.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A thread that runs gets a signal, and waits in its handler. One that sleeps in the kernel is left
 * alone: a signal would make its system call fail, and the kernel says where its stack is and what
 * it called with (/proc/self/task/ID/syscall). Whether it slept all the time is asked afterwards.
 * Of a sleeping thread the registers that a call preserves are not known unless libc saved them.
 * A thread that blocks the signal (signals.h prevents it, but for system calls without libc) runs
 * on: what was seen is then not certain. */
#ifndef HEAPSTORY_GUARD_THREADS_H
#define HEAPSTORY_GUARD_THREADS_H

#include "state.h"

#define MOST_THREADS 4096
#define MOST_WORDS 23

/* A thread that stands still; or runs, if that could not be prevented. */
enum { ENDED, SLEEPS, SIGNALLED, PARKED, RUNS };
struct standing {
    int id;
    uint32_t state;
    uintptr_t sp;                /* 0: not known */
    uintptr_t words[MOST_WORDS]; /* its registers, as far as they are known */
    uint64_t switches;           /* how often it was given or left a processor before */
};
extern struct standing standing[MOST_THREADS];
extern uint32_t standing_count;

#define THREADS_SIGNAL (__libc_current_sigrtmin() + 13)
extern int __libc_current_sigrtmin(void);

/* The signal of a stop that is under way. `registers` are those of the interrupted code. */
void threads_park(const long long *registers);
/* `patience`: nanoseconds until threads that run take the signal. */
void threads_stop(bool by_signal, uint64_t patience);
/* Whether none of them has run since it was stopped. */
bool threads_stood(void);
/* One that could not be stopped, 0: none. */
int threads_running(void);
void threads_go(void);

#endif
