/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls of which nobody says what they write. Before one, bytes that were never set get a
 * sentinel: in what its arguments point to, as far as it can be accessed and up to 2 KB, and in
 * what pointers in there point to. Behind the call, a byte that is another one was written by the
 * kernel and is defined; the others get their value back.
 *
 * Only arguments and pointers that are defined count. An area that was written up to its 2 KB goes
 * on as far as the call's result says, if that is larger: it is a number of bytes then. Not noticed
 * are a byte that the kernel sets to its sentinel (one in 255), unless its neighbours were written,
 * and what lies further away. A call that is interrupted and made again is compared when it is made
 * again.
 */
#include "checker/checker.h"
#include "checker/values.h"
#include "shared/listeners.h"
#include "shared/options.h"

#define MOST_BYTES 2048
#define MOST_AREAS 64 /* of one call */
#define ARGUMENTS 6

struct area {
    Addr start;
    SizeT length;
    UChar *before; /* its bytes, sentinels of earlier areas among them */
    Bool argument; /* it begins where an argument points to */
};
static XArray **areas_by_thread; /* of struct area */

static XArray *areas_of(ThreadId tid) {
    if (!areas_by_thread)
        areas_by_thread = VG_(calloc)("hs.areas", VG_N_THREADS, sizeof *areas_by_thread);
    if (!areas_by_thread[tid])
        areas_by_thread[tid] = VG_(newXA)(VG_(malloc), "hs.areas", VG_(free), sizeof(struct area));
    return areas_by_thread[tid];
}

/* Never 0, which is what kernels write most. */
static UChar sentinel(Addr address) {
    return (UChar)(1 + ((UInt)address * 0x9E3779B1u >> 8) % 255);
}

/* Whether no bit of a byte means anything to the program: else the kernel may want to read it. */
static Bool is_undefined(Addr address) {
    return hs_undefined_at(address, 1) == 0xFF;
}

/* ---- before ---- */

/* Where an area ends that begins there; at its start if there is none. */
static Addr end_of(Addr start) {
    Addr end = start + MOST_BYTES, page = VG_PGROUNDDN(start);
    if (start >= HS_STATES_END - MOST_BYTES)
        return start;
    while (page < end && VG_(am_is_valid_for_client)(page, 1, VKI_PROT_READ | VKI_PROT_WRITE))
        page += VKI_PAGE_SIZE;
    if (page <= start)
        return start;
    if (page < end)
        end = page;
    return hs_find_state(start, end - start, HS_ANY_OF(HS_UNADDRESSABLE));
}

static void guard(XArray *areas, Addr start, Addr end, Bool argument) {
    UInt wanted = HS_ANY_OF(HS_FRESH) | HS_ANY_OF(HS_KEPT);
    struct area area = {start, end - start, NULL, argument};
    if (VG_(sizeXA)(areas) == MOST_AREAS || hs_find_state(start, end - start, wanted) == end)
        return;
    area.before = VG_(malloc)("hs.area", area.length);
    VG_(memcpy)(area.before, (const void *)start, area.length);
    for (Addr at = start; at < end; at++)
        if (is_undefined(at))
            *(UChar *)at = sentinel(at);
    VG_(addToXA)(areas, &area);
}

static void guard_pointed(XArray *areas, Addr start, Addr end) {
    for (Addr at = VG_ROUNDUP(start, 8); at + 8 <= end; at += 8) {
        Addr pointer = *(const Addr *)at;
        if (!hs_undefined_at(at, 8) && end_of(pointer) > pointer)
            guard(areas, pointer, end_of(pointer), False);
    }
}

static Bool is_defined_argument(ThreadId tid, UInt number) {
    static const PtrdiffT offsets[ARGUMENTS] = {
        offsetof(VexGuestAMD64State, guest_RDI), offsetof(VexGuestAMD64State, guest_RSI),
        offsetof(VexGuestAMD64State, guest_RDX), offsetof(VexGuestAMD64State, guest_R10),
        offsetof(VexGuestAMD64State, guest_R8),  offsetof(VexGuestAMD64State, guest_R9)};
    ULong undefined;
    VG_(get_shadow_regs_area)(tid, (UChar *)&undefined, 1, offsets[number], 8);
    return !undefined;
}

/* ---- behind ---- */

static Bool has_changed(const struct area *area, SizeT i) {
    Addr at = area->start + i;
    if (i >= area->length)
        return False;
    return *(const UChar *)at != (is_undefined(at) ? sentinel(at) : area->before[i]);
}

static Bool was_written(const struct area *area, SizeT i) {
    return has_changed(area, i) || (i && has_changed(area, i - 1) && has_changed(area, i + 1));
}

static void compare(const struct area *area, Word result) {
    UChar *written = VG_(calloc)("hs.written", MOST_BYTES, 1);
    if (!VG_(am_is_valid_for_client)(area->start, area->length, VKI_PROT_READ | VKI_PROT_WRITE)) {
        VG_(free)(written); /* unmapped meanwhile */
        return;
    }
    for (SizeT i = 0; i < area->length; i++)
        written[i] = was_written(area, i);
    for (SizeT i = 0; i < area->length; i++) {
        Addr at = area->start + i;
        if (hs_state(at) == HS_UNADDRESSABLE || hs_state(at) == HS_DEFINED)
            continue;
        if (written[i])
            hs_set_state(at, HS_DEFINED);
        else
            *(UChar *)at = area->before[i];
    }
    if (area->argument && written[MOST_BYTES - 1] && result > MOST_BYTES)
        hs_fill_defined(area->start + MOST_BYTES, result - MOST_BYTES);
    VG_(free)(written);
}

static void ended(ThreadId tid, Word result) {
    XArray *areas = areas_of(tid);
    for (Word i = VG_(sizeXA)(areas); i-- > 0;) { /* the last first: areas may overlap */
        struct area *area = VG_(indexXA)(areas, i);
        compare(area, result);
        VG_(free)(area->before);
    }
    VG_(dropTailXA)(areas, VG_(sizeXA)(areas));
}

static void begins(ThreadId tid, const UWord *arguments) {
    XArray *areas = areas_of(tid);
    ended(tid, -1);
    for (UInt i = 0; i < ARGUMENTS; i++) {
        Addr start = arguments[i], end = end_of(start);
        if (end == start || !is_defined_argument(tid, i))
            continue;
        guard(areas, start, end, True);
        guard_pointed(areas, start, end);
    }
}

static const struct hs_listener listener = {.unknown_call = begins, .unknown_call_ended = ended};

void hs_sentinels_start(void) {
    if (!(hs_options.without & HS_SENTINELS))
        hs_listen(&listener);
}
