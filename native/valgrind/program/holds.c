/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What recorded memory holds when the recording ends: sent, so that the collector finds out what
 * was written by nothing that the tool sees (another process, the kernel between two system calls).
 * What was written that way and then overwritten by the program is not found, nor what was written
 * to stacks.
 */
#include "functions/functions.h"
#include "program/program.h"
#include "shared/modules.h"
#include "shared/options.h"
#include "shared/pages.h"
#include "shared/peek.h"
#include "shared/ring.h"
#include "shared/stacks.h"

#include "pub_tool_aspacehl.h"

static UChar held[HS_PAYLOAD_MAX];

/* Where the allocator's code is left out, only of nodes is it known who writes them, and of the
 * program's own variables. It also writes thread-local variables, those of the first thread in what
 * the dynamic linker allocated, and the stack that it runs on, which may be a node. */
static UInt kind_of(Addr address) {
    return hs_mode != HSW_PORTABLE || hs_is_known_data(address) ? HSW_HOLDS_ALL : HSW_HOLDS_NODES;
}

static Addr first_threads_own(void) {
    Addr pointer;
    VG_(get_shadow_regs_area)
    (1, (UChar *)&pointer, 0, offsetof(VexGuestAMD64State, guest_FS_CONST), sizeof pointer);
    return pointer;
}

/* Recorded pages, of one kind. */
static void send(Addr from, Addr to) {
    ULong kind = (ULong)kind_of(from) << 56;
    while (from < to) {
        Addr end = to - from > sizeof held ? from + sizeof held : to;
        if (!hs_peek(held, from, end - from)) { /* behind the end of its file, perhaps */
            end = from + VKI_PAGE_SIZE;
            if (!hs_peek(held, from, end - from)) {
                from = end;
                continue;
            }
        }
        hs_append_payload(HSW_WORD(HSW_HOLDS, from), (end - from) | kind, held, end - from,
                          first_threads_own());
        from = end;
    }
}

static Bool is_told(Addr address) {
    return hs_page_is_on(address) && !hs_in_recorded_frames(address) &&
           (!hs_stacks_recorded || kind_of(address) == HSW_HOLDS_ALL);
}

static void send_segment(Addr from, Addr end) {
    while (from < end) {
        Addr start;
        while (from < end && !is_told(from))
            from += VKI_PAGE_SIZE;
        start = from;
        while (from < end && is_told(from) && kind_of(from) == kind_of(start))
            from += VKI_PAGE_SIZE;
        send(start, from);
    }
}

void hs_send_holds(void) {
    Int n_segments;
    Addr *starts;
    if (!hs_recording() || !hs_options.stores || !hs_is_heard())
        return;
    hs_send_pending();
    hs_tell_unfinished_calls();
    hs_await_last_words();
    starts = VG_(get_segment_starts)(SkFileC | SkAnonC | SkShmC, &n_segments);
    for (Int i = 0; i < n_segments; i++) {
        const NSegment *segment = VG_(am_find_nsegment)(starts[i]);
        if (segment && segment->hasR)
            send_segment(starts[i], segment->end + 1);
    }
    VG_(free)(starts);
}
