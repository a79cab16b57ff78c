/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recorded memory whose contents the kernel replaces page by page: given back (madvise), or mapped
 * over (mmap, mremap and shmat to a fixed address). The block or variable is still there, so its
 * pages stay recorded, and what they hold now is sent.
 *
 * Not recorded: MADV_FREE, which the kernel obeys at a time of its own choice.
 */
#include "program/program.h"
#include "shared/listeners.h"
#include "shared/modules.h"
#include "shared/options.h"
#include "shared/pages.h"
#include "shared/peek.h"
#include "shared/ranges.h"
#include "shared/syscalls.h"

/* Not in Valgrind's headers. */
#define ADVICE_DONTNEED 4
#define ADVICE_REMOVE 9
#define ADVICE_DONTNEED_LOCKED 24
#define REMAP_FIXED 2

#define ATTACH_REMAP 040000 /* SHM_REMAP */

static SizeT size_of_shared(UWord id) {
    struct vki_shmid64_ds status;
    return hs_syscall(__NR_shmctl, id, VKI_IPC_STAT, (UWord)&status, 0, 0, 0) < 0
               ? 0
               : status.shm_segsz;
}

struct replaced {
    Addr start, end; /* from the first recorded page to behind the last */
    UChar *pages;    /* which of them are recorded */
};

static struct replaced *of_threads; /* by Valgrind's number */

/* The memory that a call replaces if it succeeds; False if it is none that does. */
static Bool replaces(UInt number, const UWord *arguments, Addr *start, SizeT *length) {
    *start = arguments[0];
    *length = arguments[1];
    switch (number) {
    case __NR_madvise:
        return arguments[2] == ADVICE_DONTNEED || arguments[2] == ADVICE_REMOVE ||
               arguments[2] == ADVICE_DONTNEED_LOCKED;
    case __NR_mmap:
        return (arguments[3] & VKI_MAP_FIXED) != 0;
    case __NR_mremap:
        *start = arguments[4];
        *length = arguments[2];
        return (arguments[3] & REMAP_FIXED) != 0;
    case __NR_shmat:
        *start = arguments[1];
        *length = size_of_shared(arguments[0]);
        return (arguments[2] & ATTACH_REMAP) != 0;
    default:
        return False;
    }
}

/* Without malloc, memory that is mapped is new heap, unless variables lie there. */
static Bool stays_recorded(UInt number, Addr page) {
    return hs_page_is_on(page) &&
           (hs_mode == HSW_ALLOCATIONS || number == __NR_madvise || hs_in_module_data(page));
}

static void forget(struct replaced *replaced) {
    if (replaced->pages)
        VG_(free)(replaced->pages);
    replaced->pages = NULL;
}

void hs_before_replacing(ThreadId tid, UInt number, const UWord *arguments) {
    struct replaced *replaced;
    Addr at, end;
    SizeT length;
    if (!of_threads)
        of_threads = VG_(calloc)("hs.replaced", VG_N_THREADS, sizeof *of_threads);
    replaced = &of_threads[tid];
    forget(replaced);
    if (!hs_recording() || !hs_options.stores || !replaces(number, arguments, &at, &length))
        return;
    at = VG_PGROUNDDN(at);
    end = VG_PGROUNDUP(at + length);
    while (at < end && !stays_recorded(number, at))
        at += VKI_PAGE_SIZE;
    while (at < end && !stays_recorded(number, end - VKI_PAGE_SIZE))
        end -= VKI_PAGE_SIZE;
    if (at >= end)
        return;
    replaced->start = at;
    replaced->end = end;
    replaced->pages = VG_(malloc)("hs.replaced", (end - at) >> HS_PAGE_BITS);
    for (UChar *page = replaced->pages; at < end; at += VKI_PAGE_SIZE)
        *page++ = stays_recorded(number, at);
}

/* In modes that discover blocks, nobody is to take this for an access to one. */
static void send(Addr start, Addr end) {
    HS_TELL(system_wrote, start, end - start);
    if (hs_mode == HSW_ALLOCATIONS)
        hs_range(start, end - start, HSW_RANGE_SYSCALL, 0);
    else
        hs_send_range(start, end - start, HSW_RANGE_SYSCALL, 0);
}

void hs_after_replacing(ThreadId tid, Bool done) {
    struct replaced *replaced = &of_threads[tid];
    Addr at = replaced->start;
    while (replaced->pages && done && hs_recording() && at < replaced->end) {
        Addr from = at, end;
        while (at < replaced->end && replaced->pages[(at - replaced->start) >> HS_PAGE_BITS])
            at += VKI_PAGE_SIZE;
        hs_pages_on(from, at - from);
        end = hs_readable_end(from, at);
        if (end > from)
            send(from, end);
        while (at < replaced->end && !replaced->pages[(at - replaced->start) >> HS_PAGE_BITS])
            at += VKI_PAGE_SIZE;
    }
    forget(replaced);
}
