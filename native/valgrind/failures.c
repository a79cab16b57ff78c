/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One allocation that fails on purpose (--fail-allocation=K): the K-th that would have succeeded,
 * counted as the trace counts its alloc and realloc events, so that an earlier trace of the same
 * run says which one K is.
 *
 * The quick stubs of the preload object ask a second time when they are told NULL, through
 * Valgrind's own replacement, which knows errno. The second question is not counted and gets the
 * same answer.
 */
#include "recorder.h"

static ULong n_allocations;
static Bool to_repeat;
static SizeT repeated_size;

Bool hs_allocation_fails(SizeT size, Bool asked_twice) {
    if (!hs_options.fail_allocation)
        return False;
    if (to_repeat && size == repeated_size) {
        to_repeat = False;
        return True;
    }
    if (++n_allocations != hs_options.fail_allocation)
        return False;
    to_repeat = asked_twice;
    repeated_size = size;
    return True;
}
