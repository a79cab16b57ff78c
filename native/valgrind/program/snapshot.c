/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was there when recording starts late (--from, a followed fork): modules with their data, all
 * that is alive, named roots, and the call stacks.
 */
#include "program/program.h"
#include "pub_tool_stacktrace.h"
#include "shared/files.h"
#include "shared/listeners.h"
#include "shared/modules.h"
#include "shared/ring.h"

#define MAX_FRAMES 512

static void send_stack(ThreadId tid) {
    UWord ips[MAX_FRAMES], sps[MAX_FRAMES], fps[MAX_FRAMES];
    static struct hsw_frame frames[MAX_FRAMES];
    UInt n = VG_(get_StackTrace)(tid, ips, MAX_FRAMES, sps, fps, 0);
    for (UInt i = 0; i < n; i++) {
        frames[n - 1 - i].pc = ips[i];
        frames[n - 1 - i].sp = i + 1 < n ? sps[i + 1] - 8 : sps[i];
    }
    hs_append_payload(HSW_WORD(HSW_STACK, hs_thread_number(tid)), n * sizeof *frames, frames,
                      n * sizeof *frames, 0);
}

static void send_stacks(void) {
    ThreadId tid;
    Addr low, high;
    VG_(thread_stack_reset_iter)(&tid);
    while (VG_(thread_stack_next)(&tid, &low, &high))
        send_stack(tid);
}

void hs_send_snapshot(void) {
    ThreadId running = VG_(get_running_tid)();
    hs_record(HSW_SNAPSHOT, 0, 0);
    hs_send_modules();
    hs_send_files();
    HS_TELL(snapshot);
    hs_send_roots();
    hs_tell_unseen();
    send_stacks();
    hs_record(HSW_SWITCH, hs_thread_number(running), VG_(get_SP)(running));
    hs_record(HSW_BEGIN, 0, 0);
}
