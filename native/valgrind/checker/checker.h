/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The check pass: accesses of the heap stay within live blocks. docs/internals/check.md */
#ifndef HEAPSTORY_CHECKER_CHECKER_H
#define HEAPSTORY_CHECKER_CHECKER_H

#include "walk/pass.h"

extern const struct hs_pass hs_check_pass; /* pass.c */
void hs_checker_start(void);               /* access.c */

/* access.c: an access that is not all addressable, made by generated code. `what`: HS_ACCESS(). */
void hs_bad_access(Addr address, Addr instruction, ULong what);
/* The same of one that may be of any length, and may be right. */
void hs_check_access(Addr address, Addr instruction, ULong what);
#define HS_ACCESS(size, is_store, own) ((ULong)(size) << 2 | (is_store) << 1 | (own))

#endif
