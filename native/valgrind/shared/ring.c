/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ring: appending records, handing over full segments.
 *
 * The ring is mapped once and stays at its address, because generated code holds that address. A
 * forked child maps other memory over it. When nobody listens (no --collector, the collector died,
 * a child that is not followed) a full segment is simply overwritten; what is lost is counted.
 */
#include "shared/ring.h"

#include "shared/collector.h"
#include "shared/options.h"
#include "shared/syscalls.h"

extern SysRes VG_(am_shared_mmap_file_float_valgrind)(SizeT, UInt, Int, Off64T);

/* Generated code checks the limit once per superblock; the largest superblock appends far less than
 * this. */
#define SLACK 16384u
#define DONT_WAIT 0x40 /* MSG_DONTWAIT */

struct hsw_ring *hs_ring;
Bool hs_stopped;

static Int socket_fd = -1;
static UInt current;   /* segment being filled */
static ULong sequence; /* of the current segment */
static UInt n_segments;
static SizeT segment_bytes;
static UChar *segment_free;

static ULong segment_start(UInt segment) {
    return (ULong)hs_ring + HSW_RING_PAGE + (ULong)segment * segment_bytes;
}

static void start_segment(UInt segment) {
    ULong *record = (ULong *)segment_start(segment);
    current = segment;
    record[0] = HSW_WORD(HSW_START, segment);
    record[1] = sequence++;
    hs_limit = segment_start(segment) + segment_bytes - SLACK;
    hs_ring->cursor = (ULong)(record + 2);
}

static void nobody_listens(void) {
    if (socket_fd >= 0)
        hs_syscall(__NR_close, socket_fd, 0, 0, 0, 0, 0);
    socket_fd = -1;
}

Bool hs_is_heard(void) {
    return socket_fd >= 0;
}

static void send_full(void) {
    struct hsw_message message = {HSW_FULL, current, hs_ring->cursor - segment_start(current)};
    SizeT sent = 0;
    while (sent < sizeof message) {
        Word n = hs_syscall(__NR_sendto, socket_fd, (UWord)&message + sent, sizeof message - sent,
                            VKI_MSG_NOSIGNAL, 0, 0);
        if (n == -VKI_EINTR)
            continue;
        if (n <= 0) {
            nobody_listens();
            return;
        }
        sent += n;
    }
}

/* Takes one message from the collector; False when it is gone, or with DONT_WAIT when there
 * is none. */
static Bool receive_free(UWord flags) {
    struct hsw_message message;
    SizeT got = 0;
    while (got < sizeof message) {
        Word n = hs_syscall(__NR_recvfrom, socket_fd, (UWord)&message + got, sizeof message - got,
                            got ? 0 : flags, 0, 0);
        if (n == -VKI_EINTR)
            continue;
        if (n == -VKI_EAGAIN)
            return False;
        if (n <= 0) {
            nobody_listens();
            return False;
        }
        got += n;
    }
    if (message.kind == HSW_FREE && message.segment < n_segments)
        segment_free[message.segment] = 1;
    return True;
}

/* After a stop that was seen in the middle of generated code, that code goes on appending until the
 * translations are thrown away: to be forgotten. */
static Bool scratch;

static void forget_segment(void) {
    hs_ring->cursor = segment_start(current) + 16;
}

void hs_scratch_ends(void) {
    if (scratch)
        forget_segment();
    scratch = False;
}

void hs_stop_recording(void) {
    if (hs_stopped)
        return;
    hs_append_here(HSW_WORD(HSW_FINISH, 0), 0); /* the slack of the segment has room */
    hs_stopped = True;
    hs_set_level(HS_NOTHING);
}

/* Takes an open record out of the segment that is being sent, into the present one. */
static void move_open_record(ULong from, ULong first) {
    ULong *to = (ULong *)hs_ring->cursor;
    hs_copy(to, (const void *)from, hs_open_length);
    to[0] = first;
    hs_open_record = (ULong)to;
    hs_ring->cursor += hs_open_length;
}

void hs_flush(void) {
    ULong open = hs_open_record, first = 0;
    if (scratch) {
        forget_segment();
        return;
    }
    if (hs_ring->stop && hs_recording()) {
        hs_stop_recording();
        scratch = True;
    }
    if (hs_ring->stop_stream && hs_window == HS_WINDOW_OPEN)
        hs_set_window(HS_WINDOW_OVER);
    if (socket_fd >= 0) {
        UInt next = (current + 1) % n_segments;
        if (open) {
            first = *(ULong *)open;
            *(ULong *)open = HSW_WORD(HSW_VOID, first & HSW_ADDRESS_MASK);
        }
        send_full();
        segment_free[current] = 0;
        while (socket_fd >= 0 && !segment_free[next])
            receive_free(0);
        if (socket_fd >= 0) {
            start_segment(next);
            if (open)
                move_open_record(open, first);
            return;
        }
    }
    if (open)
        hs_open_record = segment_start(current) + 16; /* nobody will read it */
    hs_ring->dropped += (hs_ring->cursor - segment_start(current)) / 16 - 1;
    start_segment(current);
}

void hs_share(void) {
    UInt free = 0;
    if (!hs_sending || hs_stopped || hs_ring->stop || hs_ring->stop_stream)
        return;
    while (socket_fd >= 0 && receive_free(DONT_WAIT))
        ;
    for (UInt i = 0; i < n_segments; i++)
        free += segment_free[i];
    if (socket_fd >= 0 && free > n_segments / 2)
        hs_flush();
}

static SizeT room(void) {
    return segment_start(current) + segment_bytes - hs_ring->cursor;
}

void hs_make_room(void) {
    if (hs_ring->cursor > hs_limit)
        hs_flush();
}

void hs_append_here(ULong first, ULong second) {
    ULong *record = (ULong *)hs_ring->cursor;
    record[0] = first;
    record[1] = second;
    hs_ring->cursor = (ULong)(record + 2);
}

void hs_append(ULong first, ULong second) {
    if (!hs_sending)
        return;
    hs_make_room();
    hs_append_here(first, second);
}

/* Changes an earlier record of the same segment, if that is still ours. */
void hs_amend(ULong cursor_before, Addr address, ULong value) {
    ULong *record = (ULong *)cursor_before;
    if (cursor_before >= segment_start(current) && cursor_before < hs_ring->cursor) {
        record[0] = (record[0] & ~HSW_ADDRESS_MASK) | address;
        record[1] = value;
    }
}

UInt hs_segment(void) {
    return (UInt)sequence;
}

void hs_append_payload(ULong first, ULong second, const void *payload, SizeT length, ULong end) {
    SizeT padded = (length + 15) & ~(SizeT)15;
    ULong *record;
    tl_assert(length <= HS_PAYLOAD_MAX);
    if (!hs_sending)
        return;
    if (hs_ring->cursor > hs_limit || room() < padded + 32 + SLACK)
        hs_flush();
    record = (ULong *)hs_ring->cursor;
    record[0] = first;
    record[1] = second;
    if (padded != length) {
        ULong *last = record + 2 + padded / 8 - 2;
        last[0] = last[1] = 0;
    }
    hs_copy(record + 2, payload, length);
    record += 2 + padded / 8;
    record[0] = HSW_WORD(HSW_END, 0);
    record[1] = end;
    hs_ring->cursor = (ULong)(record + 2);
}

/* ---- the beginning ---- */

static void fail(const HChar *what, const HChar *detail) {
    VG_(fmsg)("heapstory: %s%s%s\n", what, detail ? ": " : "", detail ? detail : "");
    VG_(exit)(125);
}

/* Memory file of the ring's size, or -1. */
static Int make_memory_file(SizeT bytes) {
    Word fd =
        hs_syscall(__NR_memfd_create, (UWord) "heapstory-ring", 1 /* MFD_CLOEXEC */, 0, 0, 0, 0);
    if (fd < 0)
        return -1;
    if (hs_syscall(__NR_ftruncate, fd, bytes, 0, 0, 0, 0) < 0)
        return -1;
    return (Int)fd;
}

static void fill_header(void) {
    hs_ring->magic = HSW_MAGIC;
    hs_ring->version = HSW_VERSION;
    hs_ring->base = (ULong)hs_ring;
    hs_ring->segment_bytes = segment_bytes;
    hs_ring->segments = n_segments;
    hs_ring->state = HSW_RUNNING;
    hs_ring->status = 0;
    hs_ring->pid = VG_(getpid)();
    hs_ring->stop = hs_ring->stop_stream = 0;
    hs_ring->dropped = 0;
    hs_ring->forked = 0;
    sequence = 0;
    VG_(memset)(segment_free, 1, n_segments);
    start_segment(0);
}

/* The ring's header is filled, `ring` is its memory file: start a collector and wait for it. */
static Bool connect_collector(Int ring) {
    socket_fd = hs_start_collector(ring);
    if (socket_fd < 0)
        return False;
    hs_syscall(__NR_close, ring, 0, 0, 0, 0, 0);
    return receive_free(0);
}

void hs_ring_start(void) {
    SizeT bytes;
    SysRes mapped;
    Int fd;
    n_segments = hs_options.ring_segments;
    segment_bytes = (SizeT)hs_options.segment_kib * 1024;
    segment_free = VG_(calloc)("hs.free", n_segments, 1);
    bytes = HSW_RING_PAGE + n_segments * segment_bytes;
    fd = make_memory_file(bytes);
    if (fd < 0)
        fail("no memory for the ring", NULL);
    mapped = VG_(am_shared_mmap_file_float_valgrind)(bytes, VKI_PROT_READ | VKI_PROT_WRITE, fd, 0);
    if (sr_isError(mapped))
        fail("cannot map the ring", NULL);
    hs_ring = (struct hsw_ring *)sr_Res(mapped);
    fill_header();
    if (!hs_options.collector)
        hs_syscall(__NR_close, fd, 0, 0, 0, 0, 0);
    else if (!connect_collector(fd))
        fail("the collector did not start", hs_options.collector);
}

void hs_ring_child(Bool follow) {
    SizeT bytes = HSW_RING_PAGE + n_segments * segment_bytes;
    Int fd = follow ? make_memory_file(bytes) : -1;
    UWord flags = VKI_MAP_FIXED | (fd >= 0 ? VKI_MAP_SHARED : VKI_MAP_PRIVATE | VKI_MAP_ANONYMOUS);
    Word mapped =
        hs_syscall(__NR_mmap, (UWord)hs_ring, bytes, VKI_PROT_READ | VKI_PROT_WRITE, flags, fd, 0);
    tl_assert(mapped == (Word)hs_ring);
    nobody_listens();
    fill_header();
    hs_ring->forked = 1;
    if (fd >= 0)
        connect_collector(fd);
}
