/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions whose calls are watched: at the entry, and at the return to whoever called.
 *
 * At the entry the arguments are noted together with the stack pointer; the call has returned when
 * control is at its return address with the stack pointer one word higher. A return address seen
 * for the first time has its translation thrown away, so that the new one asks. Calls that never
 * return (longjmp, exceptions) leave a note that goes when somebody asks with the stack pointer
 * above it; the oldest go when there are many. A function that jumps to another one (a tail call)
 * leaves it its place on the stack and its caller: both return then, the one that was jumped to
 * first.
 *
 * Functions that were inlined are not seen.
 */
#include "functions/watch.h"

#include "shared/addresses.h"
#include "shared/machine.h"
#include "shared/peek.h"
#include "walk/ir.h"

#define MAX_NOTES 4096
#define MAX_WATCHERS 4
#define SAME_STACK (1ul << 20) /* further away it may be another one */

static struct hs_watcher *watchers[MAX_WATCHERS];
static UInt n_watchers;
static struct hs_call_note notes[MAX_NOTES];
static UInt n_notes;
static struct hs_addresses return_addresses, unused_results;

void hs_watch(struct hs_watcher *watcher) {
    tl_assert(n_watchers < MAX_WATCHERS);
    watchers[n_watchers++] = watcher;
}

/* Whether a call has left its place on the stack to another one for good. A tail call has not: it
 * returns to the same caller, which calls one function. */
static Bool is_over(const struct hs_call_note *old, const struct hs_call_note *note) {
    return old->tid == note->tid && old->sp == note->sp && old->watcher == note->watcher &&
           (!note->watcher->tail_calls || old->caller != note->caller ||
            old->number == note->number);
}

static void add_note(const struct hs_call_note *note) {
    UInt keep = 0;
    for (UInt i = 0; i < n_notes; i++)
        if (!is_over(&notes[i], note))
            notes[keep++] = notes[i];
    n_notes = keep;
    if (n_notes == MAX_NOTES) {
        n_notes /= 2;
        VG_(memmove)(notes, notes + MAX_NOTES - n_notes, n_notes * sizeof *notes);
    }
    notes[n_notes++] = *note;
}

static void adjust(VexGuestAMD64State *guest, struct hs_call_note *note) {
    ULong arguments[6];
    VG_(memcpy)(arguments, note->argument, sizeof arguments);
    note->watcher->adjust(note, arguments);
    guest->guest_RDI = arguments[0];
    guest->guest_RSI = arguments[1];
    guest->guest_RDX = arguments[2];
    guest->guest_RCX = arguments[3];
    guest->guest_R8 = arguments[4];
    guest->guest_R9 = arguments[5];
}

/* A watched function is entered. Answers 1 if its return address must be translated anew first. */
static ULong entered(VexGuestAMD64State *guest, struct hs_watcher *watcher, ULong number) {
    struct hs_call_note note = {VG_(get_running_tid)(),
                                guest->guest_RSP,
                                *(Addr *)guest->guest_RSP,
                                watcher,
                                number,
                                {guest->guest_RDI, guest->guest_RSI, guest->guest_RDX,
                                 guest->guest_RCX, guest->guest_R8, guest->guest_R9},
                                0};
    if (!hs_addresses_have(&return_addresses, note.caller)) {
        /* Where any superblock of a range may be an entry, the top of the stack can be anything. */
        if (!hs_follows_call(note.caller))
            return 0;
        hs_addresses_add(&return_addresses, note.caller);
        return 1;
    }
    if (!watcher->entered(&note))
        return 0;
    if (watcher->adjust)
        adjust(guest, &note);
    add_note(&note);
    return 0;
}

/* Forgets calls that a thread has left without returning (longjmp, exceptions): its stack pointer
 * is above them. */
static void forget_left(ThreadId tid, Addr sp) {
    UInt keep = 0;
    for (UInt i = 0; i < n_notes; i++)
        if (notes[i].tid != tid || notes[i].sp >= sp || sp - notes[i].sp >= SAME_STACK)
            notes[keep++] = notes[i];
    n_notes = keep;
}

/* Its frame is on the stack that is in use, and nobody has written over its return address. */
static Bool is_running(const struct hs_call_note *note, Addr sp) {
    Addr caller;
    return note->sp >= sp && note->sp - sp < SAME_STACK &&
           hs_peek(&caller, note->sp, sizeof caller) && caller == note->caller;
}

const struct hs_call_note *hs_watched_call(const struct hs_watcher *watcher, ThreadId tid,
                                           Addr sp) {
    const struct hs_call_note *outermost = NULL;
    forget_left(tid, sp);
    for (UInt i = 0; i < n_notes; i++)
        if (notes[i].watcher == watcher && notes[i].tid == tid && is_running(&notes[i], sp) &&
            (!outermost || notes[i].sp > outermost->sp))
            outermost = &notes[i];
    return outermost;
}

/* Control is at a return address: whose? */
static void returned(const VexGuestAMD64State *guest) {
    ThreadId tid = VG_(get_running_tid)();
    for (UInt i = n_notes; i-- > 0;)
        if (notes[i].tid == tid && notes[i].sp + 8 == guest->guest_RSP) {
            struct hs_call_note note = notes[i];
            Bool used = !hs_addresses_have(&unused_results, guest->guest_RIP);
            n_notes--; /* in order: of tail calls the last one returns first */
            VG_(memmove)(notes + i, notes + i + 1, (n_notes - i) * sizeof *notes);
            note.watcher->returned(&note, guest->guest_RAX, used);
        }
}

static void insert_entry(struct hs_superblock *b, struct hs_watcher *watcher, UInt number) {
    static const Int offsets[7] = {HS_OFFSET_RDI,
                                   HS_OFFSET_RSI,
                                   HS_OFFSET_RDX,
                                   HS_OFFSET_RCX,
                                   HS_OFFSET_RSP,
                                   offsetof(VexGuestAMD64State, guest_R8),
                                   offsetof(VexGuestAMD64State, guest_R9)};
    IRTemp answer = newIRTemp(b->out->tyenv, Ity_I64);
    IRDirty *call = unsafeIRDirty_1_N(
        answer, 0, "hs_watch_entered", VG_(fnptr_to_fnentry)(entered),
        mkIRExprVec_3(IRExpr_GSPTR(), hs_const((ULong)watcher), hs_const(number)));
    for (UInt i = 0; i < 7; i++)
        if (watcher->adjust && offsets[i] != HS_OFFSET_RSP)
            hs_modifies_state(call, offsets[i]);
        else
            hs_reads_state(call, offsets[i]);
    hs_call_helper(b, call);
    hs_leave_if(b, IRExpr_RdTmp(answer), hs_load64(b, hs_get(b, HS_OFFSET_RSP)), 1);
}

static void insert_return(struct hs_superblock *b) {
    IRDirty *call = unsafeIRDirty_0_N(0, "hs_watch_returned", VG_(fnptr_to_fnentry)(returned),
                                      mkIRExprVec_1(IRExpr_GSPTR()));
    hs_reads_state(call, HS_OFFSET_RAX);
    hs_reads_state(call, HS_OFFSET_RSP);
    hs_reads_state(call, HS_OFFSET_RIP);
    hs_call_helper(b, call);
}

/* Whether the superblock overwrites rax without having read it: then nothing was returned. */
static Bool overwrites_result(const IRSB *in) {
    for (Int i = 0; i < in->stmts_used; i++) {
        const IRStmt *s = in->stmts[i];
        if (s->tag == Ist_WrTmp && s->Ist.WrTmp.data->tag == Iex_Get &&
            s->Ist.WrTmp.data->Iex.Get.offset >= HS_OFFSET_RAX &&
            s->Ist.WrTmp.data->Iex.Get.offset < HS_OFFSET_RAX + 8)
            return False;
        if (s->tag == Ist_Put && s->Ist.Put.offset == HS_OFFSET_RAX)
            return True;
        if (s->tag == Ist_Exit)
            return False;
    }
    return False;
}

static Int number_at(struct hs_watcher *watcher, Addr code) {
    const HChar *name = NULL;
    VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), code, &name);
    return watcher->find(code, name);
}

/* ---- the pass ---- */

/* What is watched at the start of the superblock. */
static struct {
    Bool returns;
    Int number[MAX_WATCHERS];
} found;

static Bool examine(struct hs_superblock *b) {
    Bool any = found.returns = hs_addresses_have(&return_addresses, b->start);
    for (UInt i = 0; i < n_watchers; i++) {
        found.number[i] = number_at(watchers[i], b->start);
        any |= found.number[i] >= 0;
    }
    return any;
}

static void start_instruction(struct hs_superblock *b) {
    if (!b->first)
        return;
    if (found.returns) {
        if (overwrites_result(b->in))
            hs_addresses_add(&unused_results, b->instruction);
        hs_stmt(b, IRStmt_Put(HS_OFFSET_RIP, hs_const(b->instruction)));
        insert_return(b);
    }
    for (UInt i = 0; i < n_watchers; i++)
        if (found.number[i] >= 0)
            insert_entry(b, watchers[i], found.number[i]);
}

const struct hs_pass hs_watch_pass = {.examine = examine, .start_instruction = start_instruction};
