/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Errors are sent once and counted: those are alike that have the same kind and the same innermost
 * return addresses. After LOOKED_AT of them at one instruction the stack is not looked at any more,
 * and the instruction's first error counts for all, so that a million errors are no slower than a
 * million calls.
 */
#include "shared/errors.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_rangemap.h"
#include "pub_tool_stacktrace.h"

#include "shared/listeners.h"
#include "shared/ring.h"
#include "shared/sites.h"

#define FRAMES 8
#define LOOKED_AT 1000

/* Errors that are alike. */
struct alike {
    VgHashNode node; /* key: a hash of what they have in common */
    UInt number;
    ULong times;
};

/* An instruction, and a kind of error it made. */
struct place {
    VgHashNode node;
    ULong times;
    struct alike *first;
};

static VgHashTable *errors, *places;
static UInt n_errors;
static ULong n_told;      /* those that are alike are counted each */
static RangeMap *ignored; /* 1: accesses to these addresses are none; NULL: there are no such */
#define MOST_REASONS 2
static Bool (*reasons[MOST_REASONS])(ThreadId tid); /* to tell nothing */
static UInt n_reasons;

static UWord hash(UWord before, UWord value) {
    return (before ^ value) * 0x9E3779B97F4A7C15ull + (before >> 29);
}

static void *find(VgHashTable *table, UWord key, SizeT size) {
    VgHashNode *found = VG_(HT_lookup)(table, key);
    if (!found) {
        found = VG_(calloc)("hs.error", 1, size);
        found->key = key;
        VG_(HT_add_node)(table, found);
    }
    return found;
}

static UWord stack_hash(ThreadId tid, UWord key) {
    Addr frames[FRAMES];
    UInt n = VG_(get_StackTrace)(tid, frames, FRAMES, NULL, NULL, 0);
    for (UInt i = 0; i < n; i++)
        key = hash(key, frames[i]);
    return key;
}

static void send(ThreadId tid, const struct hs_error *error, UInt number) {
    struct hsw_error_report report = {error->address,        error->bytes, error->block,
                                      error->site,           number,       error->kind,
                                      error->by_system_call, error->origin};
    if (error->code)
        report.site = hs_new_site(error->code, 0, HSW_SITE_RANGED, error->own);
    hs_append_payload(HSW_WORD(HSW_ERROR, VG_(get_SP)(tid) & HSW_ADDRESS_MASK), sizeof report,
                      &report, sizeof report, 0);
    HS_TELL(erred);
    hs_flush(); /* somebody waits for it, and the program may die of it */
}

Bool hs_errors_are_hidden(void) {
    for (UInt i = 0; i < n_reasons; i++)
        if (reasons[i](VG_(get_running_tid)()))
            return True;
    return False;
}

void hs_count_error(void) {
    n_told++;
}

/* What the core answers VALGRIND_COUNT_ERRORS with. */
UInt __wrap_vgPlain_get_n_errs_found(void);
UInt __wrap_vgPlain_get_n_errs_found(void) {
    return n_told;
}

void hs_hear_of_accesses(Addr start, SizeT length, Bool wanted) {
    if (!ignored)
        ignored = VG_(newRangeMap)(VG_(malloc), "hs.ignored", VG_(free), 0);
    if (length)
        VG_(bindRangeMap)(ignored, start, start + length - 1, !wanted);
}

static Bool is_ignored(const struct hs_error *error) {
    UWord low, high, found = 0;
    if (!ignored || error->by_system_call ||
        (error->kind != HSW_UNADDRESSABLE_READ && error->kind != HSW_UNADDRESSABLE_WRITE))
        return False;
    VG_(lookupRangeMap)(&low, &high, &found, ignored, error->address);
    return found;
}

void hs_tell_error(const struct hs_error *error) {
    ThreadId tid = VG_(get_running_tid)();
    UWord key = hash(error->kind, error->code ? error->code : VG_(get_IP)(tid));
    struct place *place = find(places, key, sizeof *place);
    struct alike *same;
    if (hs_errors_are_hidden() || is_ignored(error))
        return;
    hs_count_error();
    if (++place->times > LOOKED_AT) {
        place->first->times++;
        return;
    }
    same = find(errors, stack_hash(tid, key), sizeof *same);
    if (!place->first)
        place->first = same;
    if (++same->times == 1) {
        same->number = ++n_errors;
        send(tid, error, same->number);
    }
}

void hs_hide_errors(Bool (*inside)(ThreadId tid)) {
    tl_assert(n_reasons < MOST_REASONS);
    reasons[n_reasons++] = inside;
}

static void send_times(void) {
    const struct alike *same;
    VG_(HT_ResetIter)(errors);
    while ((same = VG_(HT_Next)(errors)))
        if (same->times > 1)
            hs_record(HSW_ERROR_TIMES, same->number, same->times);
}

static const struct hs_listener listener = {.ends = send_times};

void hs_errors_start(void) {
    errors = VG_(HT_construct)("hs.errors");
    places = VG_(HT_construct)("hs.error.places");
    hs_listen(&listener);
}
