/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The check passes: accesses of the heap stay within live blocks, and nothing depends on a value
 * that was never set. docs/internals/check.md */
#ifndef HEAPSTORY_CHECKER_CHECKER_H
#define HEAPSTORY_CHECKER_CHECKER_H

#include "walk/pass.h"

extern const struct hs_pass hs_light_pass;  /* light.c: addresses only */
extern const struct hs_pass hs_values_pass; /* pass.c: values too, by */
extern const struct hs_pass hs_slow_code, hs_fast_code;
void hs_checker_start(void);  /* access.c */
void hs_say_statistics(void); /* pass.c: at the end */
void hs_sentinels_start(void);

/* access.c: an access that is not all addressable, made by generated code. `what`: HS_ACCESS(). */
void hs_bad_access(Addr address, Addr instruction, ULong what);
/* The same of one that may be of any length, and may be right. */
void hs_check_access(Addr address, Addr instruction, ULong what);
/* Whether the program may run the instruction that a superblock begins with. Asked when it is
 * translated, so once as a rule. */
void hs_check_code(const struct hs_superblock *b);
#define HS_ACCESS(size, is_store, own) ((ULong)(size) << 2 | (is_store) << 1 | (own))

#endif
