/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What system calls read and write. Valgrind says of most of it after the call that it was written.
 * It says nothing of what a call reads and writes (the sets of select, the length of recvfrom,
 * offsets of splice, ...), since that does not become defined by it; but before the call it says
 * what will be read, and what may be written. All of that which lies in recorded memory is kept
 * until the call has ended, and what differs then was written.
 *
 * Not recorded: what codes that Valgrind does not know write beyond 256 bytes or through pointers,
 * and what the kernel writes while no call of the thread is under way (io_uring, memory shared with
 * another process): holds.c finds it at the end. Another thread that writes the same bytes while
 * the call blocks is overtaken by the call's record, with its value.
 */
#include "program/program.h"
#include "shared/listeners.h"
#include "shared/options.h"
#include "shared/pages.h"
#include "shared/peek.h"
#include "shared/ranges.h"
#include "shared/ring.h"
#include "shared/stacks.h"

/* Buffers that are only read may be of any size; what is read and written is small. */
#define MOST_KEPT 65536

struct kept {
    Addr start;
    SizeT length;
    UChar *bytes; /* before the call */
};

static XArray **kept_by_thread; /* of struct kept, by Valgrind's number */

static XArray *kept_of(ThreadId tid) {
    if (!kept_by_thread)
        kept_by_thread = VG_(calloc)("hs.kept", VG_N_THREADS, sizeof *kept_by_thread);
    if (!kept_by_thread[tid])
        kept_by_thread[tid] = VG_(newXA)(VG_(malloc), "hs.kept", VG_(free), sizeof(struct kept));
    return kept_by_thread[tid];
}

static Bool is_recorded(Addr start, SizeT length) {
    for (Addr at = start; at < start + length; at = VG_PGROUNDDN(at) + VKI_PAGE_SIZE)
        if (hs_page_is_on(at))
            return True;
    return False;
}

static void keep(ThreadId tid, Addr start, SizeT length) {
    struct kept kept = {start, length, NULL};
    if (!hs_recording() || !hs_options.stores || length == 0 || length > MOST_KEPT ||
        !is_recorded(start, length))
        return;
    kept.bytes = VG_(malloc)("hs.kept.bytes", length);
    if (hs_peek(kept.bytes, start, length))
        VG_(addToXA)(kept_of(tid), &kept);
    else
        VG_(free)(kept.bytes);
}

static void forget(XArray *list) {
    for (Word i = 0; i < VG_(sizeXA)(list); i++)
        VG_(free)(((struct kept *)VG_(indexXA)(list, i))->bytes);
    VG_(dropTailXA)(list, VG_(sizeXA)(list));
}

static void tell(Addr start, SizeT length) {
    HS_TELL(system_wrote, start, length);
    hs_range(start, length, HSW_RANGE_SYSCALL, 0);
}

/* From the first byte that differs to the last. */
static void tell_difference(const struct kept *kept) {
    SizeT first = 0, end = kept->length;
    UChar *now = VG_(malloc)("hs.now", kept->length);
    if (hs_peek(now, kept->start, kept->length)) {
        while (first < end && now[first] == kept->bytes[first])
            first++;
        while (first < end && now[end - 1] == kept->bytes[end - 1])
            end--;
        if (first < end)
            tell(kept->start + first, end - first);
    }
    VG_(free)(now);
}

/* What has been told is no difference any more. */
static void update(XArray *list, Addr start, SizeT length) {
    for (Word i = 0; i < VG_(sizeXA)(list); i++) {
        const struct kept *kept = VG_(indexXA)(list, i);
        Addr from = start > kept->start ? start : kept->start, end = start + length;
        if (end > kept->start + kept->length)
            end = kept->start + kept->length;
        if (from < end)
            hs_peek(kept->bytes + (from - kept->start), from, end - from);
    }
}

/* ---- what Valgrind says ---- */

static UInt *under_way; /* by thread: the number of its call */

static Bool of_system_call(CorePart part) {
    return part == Vg_CoreSysCall || part == Vg_CoreSysCallArgInMem;
}

static Bool is_hidden(CorePart part, ThreadId tid) {
    return of_system_call(part) && under_way && hs_is_hidden(under_way[tid]);
}

static void system_wrote(CorePart part, ThreadId tid, Addr address, SizeT size) {
    if (is_hidden(part, tid))
        return;
    HS_TELL(written_outside, address, size);
    if (part == Vg_CoreSignal) /* the frame of a handler, which runs on that stack */
        hs_stack_seen(address);
    else if (!of_system_call(part))
        return;
    if (!hs_recording())
        return;
    hs_thread_runs(tid); /* again: others may have run while the call waited */
    tell(address, size);
    update(kept_of(tid), address, size);
    if (part == Vg_CoreSignal)
        HS_TELL(system_called, 0);
}

static void system_reads(CorePart part, ThreadId tid, const HChar *what, Addr address, SizeT size) {
    if (is_hidden(part, tid))
        return;
    if (part == Vg_CoreSysCall)
        HS_TELL(reads, address, size, 0);
    if (!of_system_call(part))
        return;
    HS_TELL(system_reads, address, size);
    keep(tid, address, size);
}

static void system_reads_text(CorePart part, ThreadId tid, const HChar *what, Addr address) {
    SizeT length = hs_client_string((const HChar *)address);
    if (of_system_call(part) && !is_hidden(part, tid))
        HS_TELL(system_reads_text, address, length ? length : 1); /* 1: not to its end */
}

/* By thread: the general registers that the call under way has read, a bit for each. */
static UInt *registers_read;

static UInt *registers_of(ThreadId tid) {
    if (!registers_read)
        registers_read = VG_(calloc)("hs.registers", VG_N_THREADS, sizeof *registers_read);
    return &registers_read[tid];
}

static void system_reads_register(CorePart part, ThreadId tid, const HChar *what, PtrdiffT offset,
                                  SizeT size) {
    UWord number = (offset - offsetof(VexGuestAMD64State, guest_RAX)) / 8;
    if (!of_system_call(part) || is_hidden(part, tid))
        return;
    if (number < 16)
        *registers_of(tid) |= 1u << number;
    HS_TELL(system_reads_register, tid, offset, size);
}

static void system_will_write(CorePart part, ThreadId tid, const HChar *what, Addr address,
                              SizeT size) {
    if (!of_system_call(part) || is_hidden(part, tid))
        return;
    HS_TELL(system_writes, address, size);
    keep(tid, address, size);
}

/* ---- what Valgrind does not say ---- */

/* Where Valgrind names less than the kernel writes. Of a set for select it names as many bytes as
 * there are whole bytes of descriptors; the kernel writes whole words. Of calls whose meaning a
 * code among their arguments decides it does not know every code. */
#define CAPABILITIES 24   /* two of version 3 */
#define QUEUE_STATUS 120  /* struct msqid64_ds */
#define OF_ANY_CODE 256   /* what codes without a length of their own write at most */
#define MOST_VECTORS 1024 /* of process_vm_writev, as the kernel has it */

static void keep_sets(ThreadId tid, const UWord *arguments) {
    SizeT bytes = (arguments[0] + 63) / 64 * 8;
    for (UInt i = 1; i <= 3; i++)
        if (arguments[i])
            keep(tid, arguments[i], bytes);
}

/* As far as it can be read. */
static void keep_most(ThreadId tid, Addr start, SizeT length) {
    keep(tid, start, hs_readable_end(start, start + length) - start);
}

static void keep_of_ioctl(ThreadId tid, const UWord *arguments) {
    SizeT length = arguments[1] >> 16 & 0x3fff;
    keep_most(tid, arguments[2], length ? length : OF_ANY_CODE);
}

static void keep_of_keyctl(ThreadId tid, const UWord *arguments) {
    keep_most(tid, arguments[2], arguments[3]);
}

/* A process may write its own memory by its number, or as a file. */
static void keep_own_memory(ThreadId tid, const UWord *arguments) {
    struct vki_iovec vector;
    if ((Int)arguments[0] != VG_(getpid)())
        return;
    for (UWord i = 0; i < arguments[4] && i < MOST_VECTORS; i++)
        if (hs_peek(&vector, arguments[3] + i * sizeof vector, sizeof vector))
            keep(tid, (Addr)vector.iov_base, vector.iov_len);
}

/* Of calls for which Valgrind does not name all. */
static void keep_more(ThreadId tid, UInt number, const UWord *arguments) {
    switch (number) {
    case __NR_select:
    case __NR_pselect6:
        return keep_sets(tid, arguments);
    case __NR_capget:
        return keep(tid, arguments[1], CAPABILITIES);
    case __NR_msgctl:
        return keep(tid, arguments[2], QUEUE_STATUS);
    case __NR_ioctl:
        return keep_of_ioctl(tid, arguments);
    case __NR_keyctl:
        return keep_of_keyctl(tid, arguments);
    case __NR_prctl:
        return keep_most(tid, arguments[1], OF_ANY_CODE);
    case __NR_process_vm_writev:
        return keep_own_memory(tid, arguments);
    case __NR_pwrite64: /* /proc/self/mem, or another file that is as large */
        return keep(tid, arguments[3], arguments[2]);
    default:
        return;
    }
}

/* ---- writes between calls ---- */

static Bool has_ring; /* io_uring: the kernel writes when it likes, from now on */

void hs_tell_unseen(void) {
    if (has_ring)
        hs_record(HSW_UNSEEN, HSW_UNSEEN_IO_URING, 0);
}

static void look_for_ring(UInt number, Word result) {
    if (number != __NR_io_uring_setup || result == -1)
        return;
    has_ring = True;
    if (hs_recording())
        hs_tell_unseen();
}

/* ---- around a call ---- */

void hs_before_system_call(ThreadId tid, UInt number, const UWord *arguments) {
    forget(kept_of(tid));
    *registers_of(tid) = 1; /* rax: which call it is */
    if (!under_way)
        under_way = VG_(calloc)("hs.under_way", VG_N_THREADS, sizeof *under_way);
    under_way[tid] = number;
    if (hs_is_unknown(number))
        HS_TELL(unknown_call, tid, arguments);
    if (!hs_is_hidden(number))
        keep_more(tid, number, arguments);
    hs_before_replacing(tid, number, arguments);
}

void hs_after_system_call(ThreadId tid, UInt number, Word result) {
    XArray *list = kept_of(tid);
    if (hs_is_unknown(number))
        HS_TELL(unknown_call_ended, tid, result);
    if (hs_recording())
        hs_thread_runs(tid);
    for (Word i = 0; hs_recording() && i < VG_(sizeXA)(list); i++) {
        const struct kept *kept = VG_(indexXA)(list, i);
        tell_difference(kept);
        update(list, kept->start, kept->length); /* ranges may overlap */
    }
    forget(list);
    hs_after_replacing(tid, result != -1);
    look_for_ring(number, result);
    if (hs_recording())
        HS_TELL(system_called, *registers_of(tid));
}

void hs_tell_unfinished_calls(void) {
    for (ThreadId tid = 0; kept_by_thread && tid < VG_N_THREADS; tid++)
        for (Word i = 0; kept_by_thread[tid] && i < VG_(sizeXA)(kept_by_thread[tid]); i++) {
            const struct kept *kept = VG_(indexXA)(kept_by_thread[tid], i);
            tell_difference(kept);
            update(kept_by_thread[tid], kept->start, kept->length);
        }
}

void hs_system_calls_init(void) {
    VG_(track_post_mem_write)(system_wrote);
    VG_(track_pre_mem_read)(system_reads);
    VG_(track_pre_mem_read_asciiz)(system_reads_text);
    VG_(track_pre_mem_write)(system_will_write);
    VG_(track_pre_mem_read_asciiz)(system_reads_text);
    VG_(track_pre_reg_read)(system_reads_register);
}
