/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel writes for a thread: its number when it starts, where clone asked for that; when
 * it has ended 0, where clone or set_tid_address asked for that, and into the robust locks that it
 * still holds that their owner has died. The last two are recorded just before: who waits for them
 * may store there afterwards.
 */
#include "program/program.h"
#include "shared/listeners.h"
#include "shared/peek.h"
#include "shared/ranges.h"
#include "shared/ring.h"
#include "shared/syscalls.h"

#define CHILD_CLEARTID 0x00200000 /* CLONE_CHILD_CLEARTID */
#define CHILD_SETTID 0x01000000   /* CLONE_CHILD_SETTID */
#define OWNER_DIED 0x40000000u    /* FUTEX_OWNER_DIED */
#define WAITERS 0x80000000u       /* FUTEX_WAITERS */
#define OWNER 0x3fffffffu         /* FUTEX_TID_MASK */
#define MOST_LOCKS 2048           /* ROBUST_LIST_LIMIT */
#define MOST_LOOKS 100000

struct asked {
    Addr number;  /* where the kernel writes the thread's number, 0: nowhere */
    Addr cleared; /* where it writes 0 */
    Addr locks;   /* struct robust_list_head */
};
static struct asked *asked; /* by thread */
static struct asked next;   /* of the thread that is being made */

/* Told, but perhaps not written yet. */
struct told {
    Addr word;
    UInt before;
    Int thread; /* the kernel's number */
};
static XArray *all_told;

Addr hs_cleared_word(ThreadId tid) {
    return asked[tid].cleared;
}

void hs_thread_is_made(const UWord *arguments) {
    next.number = arguments[0] & CHILD_SETTID ? arguments[3] : 0;
    next.cleared = arguments[0] & CHILD_CLEARTID ? arguments[3] : 0;
}

static void made(ThreadId parent, ThreadId child) {
    asked[child] = next;
    next.number = next.cleared = 0;
}

void hs_thread_asks(ThreadId tid, UInt number, const UWord *arguments) {
    if (number == __NR_set_tid_address)
        asked[tid].cleared = arguments[0];
    else if (number == __NR_set_robust_list)
        asked[tid].locks = arguments[0];
}

void hs_thread_is_forked(ThreadId tid) {
    asked[tid].locks = 0; /* the kernel forgets them */
}

static void thread_starts(ThreadId tid) {
    if (asked[tid].number && hs_recording())
        hs_range(asked[tid].number, sizeof(UInt), HSW_RANGE_SYSCALL, 0);
}

static void tell(Addr word, UInt value) {
    struct told told = {word, 0, VG_(gettid)()};
    if (!hs_peek(&told.before, word, sizeof told.before) || told.before == value)
        return;
    hs_range_of(word, &value, sizeof value, HSW_RANGE_SYSCALL, 0);
    VG_(addToXA)(all_told, &told);
}

static void tell_lock(Addr entry, Long offset) {
    Addr word = (entry & ~1ul) + offset;
    UInt held;
    if (hs_peek(&held, word, sizeof held) && (held & OWNER) == (UInt)VG_(gettid)())
        tell(word, (held & WAITERS) | OWNER_DIED);
}

static void tell_locks(Addr list) {
    struct {
        Addr first;
        Long offset;
        Addr pending; /* being locked or unlocked: perhaps not in the list */
    } head;
    Addr entry, following;
    if (!list || !hs_peek(&head, list, sizeof head))
        return;
    entry = head.first;
    for (UInt i = 0; i < MOST_LOCKS && (entry & ~1ul) != list; i++, entry = following) {
        if (!hs_peek(&following, entry & ~1ul, sizeof following))
            return;
        if (entry != head.pending)
            tell_lock(entry, head.offset);
    }
    if (head.pending)
        tell_lock(head.pending, head.offset);
}

void hs_tell_last_words(ThreadId tid) {
    if (!hs_recording())
        return;
    tell_locks(asked[tid].locks);
    if (asked[tid].cleared)
        tell(asked[tid].cleared, 0);
}

void hs_await_last_words(void) {
    UInt looks = 0, now;
    for (Word i = 0; i < VG_(sizeXA)(all_told); i++) {
        const struct told *told = VG_(indexXA)(all_told, i);
        while (looks++ < MOST_LOOKS && hs_peek(&now, told->word, sizeof now) &&
               now == told->before && hs_syscall(__NR_tkill, told->thread, 0, 0, 0, 0, 0) == 0)
            hs_syscall(__NR_sched_yield, 0, 0, 0, 0, 0, 0);
    }
    VG_(dropTailXA)(all_told, VG_(sizeXA)(all_told));
}

static const struct hs_listener listener = {.thread_starts = thread_starts};

void hs_last_words_start(void) {
    asked = VG_(calloc)("hs.asked", VG_N_THREADS, sizeof *asked);
    all_told = VG_(newXA)(VG_(malloc), "hs.told", VG_(free), sizeof(struct told));
    VG_(track_pre_thread_ll_create)(made);
    hs_listen(&listener);
}
