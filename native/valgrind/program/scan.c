/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words outside of recorded memory that may point into the heap: at C-points, errors, exit and
 * crash. Sent is every aligned word whose value lies in a recorded page: of stacks, from the stack
 * pointer (less the ABI's red zone) to their end; of registers; and of memory that the program
 * mapped, shares, or keeps thread-local variables in. A thread that is on another stack than its
 * own (signals, coroutines) has both scanned. Where values are checked, words that are not all
 * defined are left out: what lies there is of an earlier use of the memory. So is what threads that
 * have ended left behind.
 */
#include "functions/functions.h"
#include "program/program.h"
#include "shared/addressable.h"
#include "shared/listeners.h"
#include "shared/machine.h"
#include "shared/options.h"
#include "shared/pages.h"
#include "shared/peek.h"
#include "shared/ring.h"

#include "pub_tool_aspacehl.h"

#define UNKNOWN_STACK_MAX (1u << 20)
/* Bytes of other memory that are scanned, about 0.3 ms for each MiB. */
#define MOST_AT_MOMENT (16u << 20)
#define MOST_AT_END (1u << 30)
#define WORDS (HS_PAYLOAD_MAX / sizeof(struct hsw_scan_word))

static struct hsw_scan_word words[WORDS];
static UInt n_words;

static void send(ThreadId tid, UInt kind) {
    SizeT bytes = n_words * sizeof *words;
    if (n_words)
        hs_append_payload(HSW_WORD(HSW_SCAN, hs_thread_number(tid)), bytes | (ULong)kind << 56,
                          words, bytes, 0);
    n_words = 0;
}

static void found(ThreadId tid, UInt kind, ULong where, ULong value) {
    words[n_words].where = where;
    words[n_words].value = value;
    if (++n_words == WORDS)
        send(tid, kind);
}

static Bool counts(Addr where, ULong value) {
    return hs_word_is_set(where) && !hs_is_left_behind(where, value);
}

/* The readable parts of the area, page by page. */
static void scan_area(ThreadId tid, UInt kind, Addr from, Addr to) {
    static ULong page[VKI_PAGE_SIZE / sizeof(ULong)];
    from = (from + 7) & ~(Addr)7;
    to &= ~(Addr)7;
    while (from < to) {
        Addr end = VG_PGROUNDDN(from) + VKI_PAGE_SIZE;
        if (end > to)
            end = to;
        if (hs_peek(page, from, end - from))
            for (SizeT i = 0; i < (end - from) / sizeof(ULong); i++)
                if (hs_page_is_on(page[i]) && counts(from + i * sizeof(ULong), page[i]))
                    found(tid, kind, from + i * sizeof(ULong), page[i]);
        from = end;
    }
}

/* The stack the thread is on when it is none that Valgrind knows: a coroutine's, perhaps. */
static void scan_unknown_stack(ThreadId tid, Addr sp) {
    const NSegment *segment = VG_(am_find_nsegment)(sp);
    Addr end;
    if (!segment || segment->kind != SkAnonC)
        return;
    end = segment->end + 1;
    scan_area(tid, HSW_SCAN_STACK, sp, end - sp > UNKNOWN_STACK_MAX ? sp + UNKNOWN_STACK_MAX : end);
}

static void scan_stack(ThreadId tid, Addr red_zone) {
    Addr sp = VG_(get_SP)(tid), end = VG_(thread_get_stack_max)(tid) + 1;
    Addr low = end - VG_(thread_get_stack_size)(tid);
    Addr alternate = VG_(thread_get_altstack_min)(tid);
    Addr alternate_end = alternate + VG_(thread_get_altstack_size)(tid);
    if (sp >= low && sp <= end)
        low = sp; /* else where it left this stack is not known: all of it */
    else if (sp >= alternate && sp < alternate_end)
        scan_area(tid, HSW_SCAN_STACK, sp - red_zone, alternate_end);
    else
        scan_unknown_stack(tid, sp);
    scan_area(tid, HSW_SCAN_STACK, low - red_zone, end);
    send(tid, HSW_SCAN_STACK);
}

/* Results, and what a callee must preserve: RAX, RDX, RBX, RBP, RSP, R12 to R15. */
#define KEPT_AT_RETURN 0xf0cbu

static void scan_registers(ThreadId tid, UInt wanted) {
    for (UInt i = 0; i < 16; i++) {
        ULong value, undefined = 0;
        if (!(wanted >> i & 1))
            continue;
        VG_(get_shadow_regs_area)(tid, (UChar *)&value, 0, hs_dwarf_registers[i], 8);
        if (hs_states)
            VG_(get_shadow_regs_area)(tid, (UChar *)&undefined, 1, hs_dwarf_registers[i], 8);
        if (hs_page_is_on(value) && !undefined)
            found(tid, HSW_SCAN_REGISTERS, i, value);
    }
    send(tid, HSW_SCAN_REGISTERS);
}

/* ---- memory that is neither stack nor recorded ---- */

/* The end of the stack of a thread that holds the address, else 0; `next`: where the nearest stack
 * above it begins, if that is lower than what stands there. */
static Addr stack_end(Addr address, Addr *next) {
    ThreadId tid;
    Addr ignored_low, ignored_high, end = 0;
    VG_(thread_stack_reset_iter)(&tid);
    while (VG_(thread_stack_next)(&tid, &ignored_low, &ignored_high)) {
        Addr high = VG_(thread_get_stack_max)(tid) + 1;
        Addr low = high - VG_(thread_get_stack_size)(tid);
        if (address >= low && address < high)
            end = high;
        else if (low > address && low < *next)
            *next = low;
    }
    return end;
}

static Bool is_recorded(Addr page) {
    return hs_page_is_on(page) && !hs_custom_page(page);
}

/* What is between the blocks of the program's own allocators. */
static void visit_between(Addr from, Addr to, void (*visit)(Addr from, Addr to)) {
    Addr block, end;
    while (from < to && (block = hs_custom_from(from, &end)) && block < to) {
        if (from < block)
            visit(from, block);
        from = end;
    }
    if (from < to)
        visit(from, to);
}

/* Calls `visit` for every part of it that a pointer may be kept in: thread-local variables of the
 * first thread, and whatever the program maps or shares. */
static void visit_memory(void (*visit)(Addr from, Addr to)) {
    Int n_segments;
    Addr *starts = VG_(get_segment_starts)(SkFileC | SkAnonC | SkShmC, &n_segments);
    for (Int i = 0; i < n_segments; i++) {
        const NSegment *segment = VG_(am_find_nsegment)(starts[i]);
        Addr from = starts[i], end;
        if (!segment || !segment->hasR || (segment->kind == SkFileC && !segment->hasW))
            continue;
        end = segment->end + 1;
        while (from < end) {
            Addr to = end, above = stack_end(from, &to);
            if (above)
                from = above;
            else if (is_recorded(from))
                from = VG_PGROUNDDN(from) + VKI_PAGE_SIZE;
            else {
                for (Addr page = from; page < to; page += VKI_PAGE_SIZE)
                    if (is_recorded(page))
                        to = page;
                visit_between(from, to, visit);
                from = to;
            }
        }
    }
    VG_(free)(starts);
}

static SizeT memory_bytes;

static void count_memory(Addr from, Addr to) {
    memory_bytes += to - from;
}

static void scan_memory_part(Addr from, Addr to) {
    scan_area(VG_(get_running_tid)(), HSW_SCAN_MEMORY, from, to);
}

static void scan_memory(SizeT most) {
    ThreadId tid = VG_(get_running_tid)();
    memory_bytes = 0;
    hs_custom_sort();
    visit_memory(count_memory);
    if (memory_bytes <= most) {
        visit_memory(scan_memory_part);
        send(tid, HSW_SCAN_MEMORY);
    } else
        hs_append_payload(HSW_WORD(HSW_SCAN, hs_thread_number(tid)), (ULong)HSW_SCAN_PARTIAL << 56,
                          NULL, 0, 0);
}

static void scan_threads(Bool returning) {
    ThreadId tid, running = VG_(get_running_tid)();
    Addr low, high;
    VG_(thread_stack_reset_iter)(&tid);
    while (VG_(thread_stack_next)(&tid, &low, &high)) {
        Bool leaving = returning && tid == running;
        scan_stack(tid, leaving ? 0 : VG_STACK_REDZONE_SZB);
        scan_registers(tid, leaving ? KEPT_AT_RETURN : 0xffffu);
    }
}

static void found_part(Addr part, UInt why) {
    found(VG_(get_running_tid)(), HSW_SCAN_PARTS, part, why);
}

void hs_scan_moment(Bool returning) {
    scan_threads(returning);
    scan_memory(MOST_AT_MOMENT);
}

void hs_scan_end(void) {
    /* That it was looked for is said where nothing is found, too. */
    hs_append_payload(HSW_WORD(HSW_SCAN, hs_thread_number(VG_(get_running_tid)())),
                      (ULong)HSW_SCAN_MEMORY << 56, NULL, 0, 0);
    scan_threads(False);
    scan_memory(MOST_AT_END);
    if (hs_options.check)
        hs_visit_parts(found_part);
    send(VG_(get_running_tid)(), HSW_SCAN_PARTS);
}

static ULong n_scans;

ULong hs_scans(void) {
    return n_scans;
}

void hs_scan_now(void) {
    if (!hs_recording())
        return;
    n_scans++;
    hs_send_pending();
    hs_send_contents();
    hs_scan_end();
    /* Nothing more to come: the collector writes it out. */
    hs_append_payload(HSW_WORD(HSW_SCAN, hs_thread_number(VG_(get_running_tid)())),
                      (ULong)HSW_SCAN_PARTS << 56, NULL, 0, 0);
    hs_flush();
}

static void erred(void) {
    hs_scan_moment(False);
}

static void forked(void) {
    n_scans = 0;
}

static const struct hs_listener listener = {.erred = erred}, counting = {.forked = forked};

void hs_scan_start(void) {
    hs_ended_start();
    if (!hs_options.check)
        return;
    hs_listen(&counting);
    if (!hs_options.stores)
        return;
    /* What registers hold is asked in the middle of superblocks. */
    VG_(clo_vex_control).iropt_register_updates_default = VexRegUpdAllregsAtMemAccess;
    hs_listen(&listener);
}
