/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A scan for leaks that somebody outside asks for (heapstory check --scan PID). He finds the words
 * below in this program's file by their first one, and sets `asked` to `made` + 1. A program that
 * runs sees it soon. One that waits in the kernel is made to call `in_kernel` by the debugger's
 * interface, on the stack of a waiting thread, whose system call then begins again; it ends at a
 * breakpoint. No signal is used, since that would end the call.
 */
#include "program/program.h"
#include "shared/syscalls.h"

/* Of the core, without a public header. A thread's state begins with its number and what it does.
 */
extern Int VG_(gettid)(void);
extern ThreadId VG_(lwpid_to_vgtid)(Int);
extern const struct {
    ThreadId tid;
    UInt status;
} * VG_(get_ThreadState)(ThreadId);
extern void VG_(acquire_BigLock)(ThreadId, const HChar *);
extern void VG_(release_BigLock)(ThreadId, UInt, const HChar *);
#define WAITS_IN_KERNEL 3 /* VgTs_WaitSys */

static void scan_in_kernel(void);

static struct {
    HChar name[16];
    volatile ULong asked, made;
    void (*in_kernel)(void);
    /* The other way round: the program asks how much is lost. Which scan it means, and which one
     * was answered; then bytes and blocks. */
    volatile ULong count_asked, count_made;
    struct hs_lost counts;
} nudge __attribute__((used)) = {"heapstory-scan-1", 0, 0, scan_in_kernel};

#define MOST_SECONDS 60 /* until nobody is thought to answer */

/* Where a security module lets only ancestors look into a process, anybody of the same user may. */
#define SET_PTRACER 0x59616d61ul /* PR_SET_PTRACER */

void hs_nudge_start(void) {
    hs_syscall(__NR_prctl, SET_PTRACER, -1ul, 0, 0, 0, 0);
}

void hs_nudge_poll(void) {
    ULong asked = nudge.asked;
    if (asked == nudge.made)
        return;
    hs_scan_now();
    nudge.made = asked;
}

const struct hs_lost *hs_ask_counts(ULong scan) {
    static const struct vki_timespec moment = {0, 5000000};
    UInt begin = VG_(read_millisecond_timer)();
    nudge.count_asked = scan;
    while (nudge.count_made != scan) {
        if (VG_(read_millisecond_timer)() - begin > MOST_SECONDS * 1000)
            return NULL;
        hs_syscall(__NR_nanosleep, (UWord)&moment, 0, 0, 0, 0, 0);
    }
    return &nudge.counts;
}

static void scan_in_kernel(void) {
    ThreadId tid = VG_(lwpid_to_vgtid)(VG_(gettid)());
    if (tid != VG_INVALID_THREADID && VG_(get_ThreadState)(tid)->status == WAITS_IN_KERNEL) {
        VG_(acquire_BigLock)(tid, "hs_nudge"); /* others may come back meanwhile */
        hs_thread_runs(tid);
        VG_(release_BigLock)(tid, WAITS_IN_KERNEL, "hs_nudge");
    }
    __asm__ volatile("int3");
}
