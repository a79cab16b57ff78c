/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What threads leave behind: their variables end with them, but the C library keeps the memory for
 * threads to come (or until somebody joins the thread), so the words are still there. They refer to
 * nothing any more, as long as nobody writes there: what the memory held when the thread ended is
 * compared with what it holds now, since a program may have provided it and use it for other
 * things.
 *
 * The C library's own description of a thread lies above its stack and thread-local variables,
 * where FS points to. It has the thread's result, which somebody may still ask for, until the
 * thread was joined: that is noted in the word that the system call clone is given.
 *
 * Not known, and taken as references: what the first thread leaves behind, and threads with more
 * than a MiB of variables.
 */
#include "program/program.h"
#include "shared/listeners.h"
#include "shared/peek.h"

#include "libvex_guest_amd64.h"
#include "pub_tool_oset.h"

#define JOINED (-1)
/* Bytes below the stack pointer that the C library leaves as they are; the rest it gives back. */
#define BELOW (5 * VKI_PAGE_SIZE)
#define DESCRIPTION 2304u /* bytes, of the C library's struct pthread */
#define MOST (1u << 20)

struct ended {
    Addr from, to;
    Addr description;  /* the C library's, up to `to` */
    const Int *number; /* in it, JOINED if the thread was; NULL: not known */
    UChar *held;
};
static OSet *all;

/* The one that has the address, or where it would be. */
static Word compare(const void *key, const void *element) {
    const struct ended *ended = element;
    Addr address = *(const Addr *)key;
    return address < ended->from ? -1 : address >= ended->to;
}

static void forget(Addr start, SizeT length) {
    struct ended *ended;
    VG_(OSetGen_ResetIterAt)(all, &start);
    while ((ended = VG_(OSetGen_Next)(all)) && ended->from < start + length) {
        VG_(OSetGen_Remove)(all, &ended->from);
        VG_(free)(ended->held);
        VG_(OSetGen_FreeNode)(all, ended);
        VG_(OSetGen_ResetIterAt)(all, &start);
    }
}

static void thread_starts(ThreadId tid) {
    forget(VG_(get_SP)(tid), 1); /* on the stack of one that ended */
}

/* Where they are: below the description, in the mapping that holds the stack. */
static Bool find_variables(ThreadId tid, struct ended *found) {
    Addr sp = VG_(get_SP)(tid), description;
    const NSegment *segment = VG_(am_find_nsegment)(sp);
    VG_(get_shadow_regs_area)
    (tid, (UChar *)&description, 0, offsetof(VexGuestAMD64State, guest_FS_CONST),
     sizeof description);
    if (!segment || segment->kind != SkAnonC || description < sp ||
        description + DESCRIPTION > segment->end + 1 || description - sp > MOST)
        return False;
    found->from = VG_PGROUNDDN(sp) - BELOW;
    if (found->from < segment->start)
        found->from = segment->start;
    found->description = description;
    found->to = description + DESCRIPTION;
    found->number = (const Int *)hs_cleared_word(tid);
    return True;
}

void hs_thread_ends(ThreadId tid) {
    struct ended found, *kept;
    if (!find_variables(tid, &found))
        return;
    forget(found.from, found.to - found.from);
    found.held = VG_(malloc)("hs.ended.held", found.to - found.from);
    if (!hs_peek(found.held, found.from, found.to - found.from)) {
        VG_(free)(found.held);
        return;
    }
    kept = VG_(OSetGen_AllocNode)(all, sizeof *kept);
    *kept = found;
    VG_(OSetGen_Insert)(all, kept);
}

static Bool was_joined(const struct ended *ended) {
    Int number;
    return ended->number && hs_peek(&number, (Addr)ended->number, sizeof number) &&
           number == JOINED;
}

Bool hs_is_left_behind(Addr address, ULong value) {
    const struct ended *ended = VG_(OSetGen_Lookup)(all, &address);
    if (!ended || address + sizeof value > ended->to)
        return False;
    if (VG_(memcmp)(ended->held + (address - ended->from), &value, sizeof value) != 0)
        return False;
    return address < ended->description || was_joined(ended);
}

static const struct hs_listener listener = {.thread_starts = thread_starts, .unmapped = forget};

void hs_ended_start(void) {
    all = VG_(OSetGen_Create)(0, compare, VG_(malloc), "hs.ended", VG_(free));
    hs_listen(&listener);
}
