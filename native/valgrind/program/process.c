/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The life of the process: threads, signals, fork, exec, and the end in all its forms.
 *
 * Exit is recorded before the system call, crash before the core stops the other threads: later
 * their stacks and registers are gone. The number of a fatal signal is known to the core only; it
 * is learnt when the core kills the process with it.
 */
#include "functions/functions.h"
#include "program/program.h"
#include "shared/listeners.h"
#include "shared/memory.h"
#include "shared/options.h"
#include "shared/ranges.h"
#include "shared/ring.h"
#include "shared/shadow.h"
#include "shared/stacks.h"
#include "walk/twins.h"

extern Bool VG_(clo_trace_children);
extern void VG_(nuke_all_threads_except)(ThreadId, UInt);
extern void VG_(kill_self)(Int);

#define FATAL_SIGNAL 3 /* VgSrc_FatalSig of the core */
#define SCANS_SHARE 9  /* a scan takes a tenth of the time until the next one */

static ThreadId running = 1;
static Bool ended;
static Bool traced_before;
static ULong crash_record; /* where it lies, until its signal is known */
static Addr crash_address;
static ULong crash_stack; /* shifted, as in the record */

/* Valgrind gives the number of a thread that has ended to the next one; ours are never reused. */
static UInt *thread_numbers; /* by Valgrind's */
static UInt n_threads;

UInt hs_thread_number(ThreadId tid) {
    return thread_numbers[tid];
}

/* Scans take at most a part of the time. */
static void scan_from_time_to_time(void) {
    static UInt next;
    UInt now = VG_(read_millisecond_timer)(), after;
    if (ended || now < next)
        return;
    if (next)
        hs_scan_now();
    after = VG_(read_millisecond_timer)();
    next = after + hs_options.scan_every + SCANS_SHARE * (after - now);
}

static void thread_runs(ThreadId tid, ULong blocks) {
    if (hs_discard_poll()) {
        hs_scratch_ends();
        HS_TELL(level_changed);
    }
    if (tid != running) {
        running = tid;
        hs_record(HSW_SWITCH, hs_thread_number(tid), VG_(get_SP)(tid));
    }
    if (hs_options.scan_every)
        scan_from_time_to_time();
    if (hs_options.check && !ended)
        hs_nudge_poll();
}

void hs_thread_runs(ThreadId tid) {
    thread_runs(tid, 0);
}

static void thread_starts(ThreadId tid) {
    if (!thread_numbers)
        thread_numbers = VG_(calloc)("hs.threads", VG_N_THREADS, sizeof *thread_numbers);
    thread_numbers[tid] = ++n_threads;
    if (tid == running) /* a thread that ended had this number */
        running = VG_INVALID_THREADID;
    hs_set_shadow(tid, HS_SHADOW_RING, hs_ring);
    hs_stack_begins(tid);
    hs_stack_seen(VG_(get_SP)(tid));
    HS_TELL(thread_starts, tid);
}

static void thread_ends(ThreadId tid) {
    hs_thread_ends(tid);
    if (hs_ring->state == HSW_RUNNING)
        hs_tell_last_words(tid);
    HS_TELL(thread_ends, tid);
    hs_record(HSW_THREAD_END, hs_thread_number(tid), 0);
}

static void signal_starts(ThreadId tid, Int number, Bool alternate) {
    hs_forget_twin(tid);
    thread_runs(tid, 0);
    hs_send_pending();
    HS_TELL(left, VG_(get_IP)(tid));
    hs_record(HSW_SIGNAL, VG_(get_SP)(tid), number);
}

static void signal_ends(ThreadId tid, Int number) {
    hs_record(HSW_SIGRETURN, VG_(get_SP)(tid), 0);
}

/* ---- the end ---- */

static void record_exit(Int code) {
    if (ended)
        return;
    ended = True;
    if (hs_options.snapshot_at_exit)
        hs_send_snapshot();
    hs_send_holds();
    hs_sending = True; /* how it ended is said outside the section too */
    HS_TELL(ends);
    hs_record(HSW_EXIT, 0, code & 0xff);
    hs_scan_end();
    hs_ring->status = code & 0xff;
    hs_ring->state = HSW_EXITED;
}

void __wrap_vgPlain_nuke_all_threads_except(ThreadId tid, UInt reason);
void __real_vgPlain_nuke_all_threads_except(ThreadId tid, UInt reason);
void __wrap_vgPlain_kill_self(Int number);
void __real_vgPlain_kill_self(Int number);

void __wrap_vgPlain_nuke_all_threads_except(ThreadId tid, UInt reason) {
    if (reason == FATAL_SIGNAL && !ended) {
        hs_forget_twin(tid);
        ended = True;
        hs_sending = True;
        thread_runs(tid, 0);
        hs_send_pending();
        HS_TELL(left, VG_(get_IP)(tid));
        hs_send_holds();
        hs_make_room();
        crash_record = hs_ring->cursor;
        crash_address = VG_(get_IP)(tid) & HSW_ADDRESS_MASK;
        crash_stack = (ULong)VG_(get_SP)(tid) << 8;
        hs_record(HSW_CRASH, crash_address, crash_stack);
        HS_TELL(ends);
        hs_scan_end();
        hs_ring->status = 0;
        hs_ring->state = HSW_SIGNALLED;
    }
    __real_vgPlain_nuke_all_threads_except(tid, reason);
}

void __wrap_vgPlain_kill_self(Int number) {
    if (crash_record)
        hs_amend(crash_record, crash_address, crash_stack | (ULong)number);
    hs_ring->status = number;
    hs_ring->state = HSW_SIGNALLED;
    __real_vgPlain_kill_self(number);
}

void hs_finish(Int code) {
    hs_custom_finish();
    record_exit(code);
}

/* ---- system calls ---- */

/* Valgrind cannot run a set-user-id program, nor this tool a 32-bit one. Such a program is started
 * without it, as the kernel would, and not recorded. */
static Bool can_be_recorded(const HChar *path) {
    struct vg_stat status;
    UChar head[5] = {0};
    Int fd;
    if (sr_isError(VG_(stat)(path, &status)) || (status.mode & (VKI_S_ISUID | VKI_S_ISGID)))
        return False;
    fd = VG_(fd_open)(path, VKI_O_RDONLY, 0);
    if (fd < 0)
        return False;
    VG_(read)(fd, head, sizeof head);
    VG_(close)(fd);
    return VG_(memcmp)(head, "\177ELF", 4) != 0 || head[4] == 2; /* ELFCLASS64 */
}

static void before_exec(const HChar *path) {
    SizeT length = hs_client_string(path);
    traced_before = VG_(clo_trace_children);
    if (length && traced_before && hs_ring->state == HSW_RUNNING)
        VG_(clo_trace_children) = can_be_recorded(path);
    hs_send_holds();
    hs_append_payload(HSW_WORD(HSW_EXECVE, 0), length, path, length, 0);
    hs_ring->state = HSW_EXEC;
}

static void before_call(ThreadId tid, UInt number, UWord *arguments, UInt count) {
    hs_before_system_call(tid, number, arguments);
    hs_memory_mmap_flags(number == __NR_mmap ? arguments[3] : 0);
    if (number == __NR_clone)
        hs_thread_is_made(arguments);
    else if (number == __NR_exit_group)
        record_exit((Int)arguments[0]);
    else if (number == __NR_execve || number == __NR_execveat)
        before_exec((const HChar *)arguments[number == __NR_execve ? 0 : 1]);
}

static void after_call(ThreadId tid, UInt number, UWord *arguments, UInt count, SysRes result) {
    if (!sr_isError(result))
        hs_thread_asks(tid, number, arguments);
    hs_after_system_call(tid, number, sr_isError(result) ? -1 : (Word)sr_Res(result));
    if (number == __NR_execve || number == __NR_execveat)
        if (hs_ring->state == HSW_EXEC) {
            hs_ring->state = HSW_RUNNING;
            VG_(clo_trace_children) = traced_before;
        }
}

/* ---- fork ---- */

static void in_child(ThreadId tid) {
    Bool follow = hs_options.follow_children;
    hs_ring_child(follow);
    VG_(clo_trace_children) = follow;
    running = tid;
    hs_thread_is_forked(tid);
    if (follow && hs_recording()) { /* sites must be told again: translate again */
        HS_TELL(forked);
        hs_discard_all();
        hs_send_snapshot();
    }
}

void hs_process_init(void) {
    hs_last_words_start();
    VG_(track_start_client_code)(thread_runs);
    VG_(track_pre_thread_first_insn)(thread_starts);
    VG_(track_pre_thread_ll_exit)(thread_ends);
    VG_(track_pre_deliver_signal)(signal_starts);
    VG_(track_post_deliver_signal)(signal_ends);
    hs_system_calls_init();
    VG_(needs_syscall_wrapper)(before_call, after_call);
    VG_(atfork)(NULL, NULL, in_child);
}
