/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the program does wrong, as records. */
#ifndef HEAPSTORY_SHARED_ERRORS_H
#define HEAPSTORY_SHARED_ERRORS_H

#include "shared/tool.h"

struct hs_error {
    UInt kind; /* enum hsw_error */
    Addr address;
    SizeT bytes;
    Addr block; /* that it is about, 0: none */
    Addr code;  /* the instruction, 0: whoever called the function that is running */
    Bool own;   /* it is the program's own code */
    UInt site;  /* where there is one already, in place of the instruction */
    Bool by_system_call;
    UInt origin; /* site in the function whose variable an undefined value came from, 0: none */
};

void hs_errors_start(void);
void hs_tell_error(const struct hs_error *error);
/* An error that is told in another way. */
void hs_count_error(void);
/* Nothing is told while `inside` says so of the thread. */
void hs_hide_errors(Bool (*inside)(ThreadId tid));
Bool hs_errors_are_hidden(void);
/* Whether the program wants to hear of bad accesses to these addresses. */
void hs_hear_of_accesses(Addr start, SizeT length, Bool wanted);

#endif
