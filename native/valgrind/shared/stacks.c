/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether there are stacks in recorded memory: looked at wherever a thread may get on another one.
 */
#include "shared/stacks.h"

#include "shared/level.h"
#include "shared/pages.h"

Bool hs_stacks_recorded;

void hs_stack_seen(Addr sp) {
    /* an empty stack's pointer is the end of its memory */
    if (hs_stacks_recorded || !(hs_page_is_on(sp) || hs_page_is_on(sp - 1)))
        return;
    hs_stacks_recorded = True;
    hs_discard_all();
}
