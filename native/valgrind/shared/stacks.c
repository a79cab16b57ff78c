/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether there are stacks in recorded memory: looked at wherever a thread may get on another one.
 */
#include "shared/stacks.h"

#include "shared/level.h"
#include "shared/options.h"
#include "shared/pages.h"

Bool hs_stacks_recorded;

static struct { Addr low, end; } * stacks; /* by thread */

void hs_stack_begins(ThreadId tid) {
    if (!hs_options.frames)
        return;
    if (!stacks)
        stacks = VG_(calloc)("hs.stacks", VG_N_THREADS, sizeof *stacks);
    stacks[tid].end = VG_(thread_get_stack_max)(tid) + 1;
    stacks[tid].low = stacks[tid].end - VG_(thread_get_stack_size)(tid);
    hs_pages_on(stacks[tid].low, stacks[tid].end - stacks[tid].low);
}

Bool hs_in_recorded_frames(Addr address) {
    for (ThreadId tid = 1; stacks && tid < VG_N_THREADS; tid++)
        if (address >= stacks[tid].low && address < stacks[tid].end)
            return True;
    return False;
}

void hs_stack_seen(Addr sp) {
    /* an empty stack's pointer is the end of its memory */
    if (hs_stacks_recorded || !(hs_page_is_on(sp) || hs_page_is_on(sp - 1)))
        return;
    hs_stacks_recorded = True;
    hs_discard_all();
}
