/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One allocation that fails on purpose (--fail-allocation=K): the K-th that would have succeeded,
 * counted as the trace counts its alloc and realloc events, so that an earlier trace of the same
 * run says which one K is.
 *
 * A quick stub of the preload object that is told NULL asks a second time, through the replacement
 * that knows what belongs to failure. The second question is not counted and gets the same answer.
 */
#include "functions/functions.h"
#include "shared/options.h"

static ULong n_allocations;
static Bool just_failed, to_repeat;

Bool hs_allocation_fails(void) {
    if (!hs_options.fail_allocation)
        return False;
    if (to_repeat) {
        to_repeat = False;
        return True;
    }
    just_failed = ++n_allocations == hs_options.fail_allocation;
    return just_failed;
}

void hs_asked_again(void) {
    to_repeat = just_failed;
    just_failed = False;
}
