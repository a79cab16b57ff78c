/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stream pass: every executed block with its accesses. */
#ifndef HEAPSTORY_STREAM_STREAM_H
#define HEAPSTORY_STREAM_STREAM_H

#include "walk/pass.h"

/* pass.c */
extern const struct hs_pass hs_stream_pass;
void hs_stream_start(void);

/* describe.c: what is known of a superblock before it runs. An access is put down once for each
 * statement, in the order of the statements; what another pass replaces has none. */
#define HS_MAX_ACCESSES 1024
#define HS_MAX_EXITS 253 /* numbers below HSW_UNFINISHED */
#define HS_MAX_CODE 4096
#define HS_MAX_WORDS 512 /* generated code appends less than the slack of a segment (ring.c) */

struct hs_access {
    Int statement;
    IRTemp base;          /* whose value is the access' word; IRTemp_INVALID: none */
    const IRExpr *values; /* stored, in words from `value` on; NULL: none */
    const IRExpr *guard;  /* known before the statement; NULL: none, or a compare-and-swap's */
    struct hsw_access wire;
};

struct hs_description {
    struct hsw_block block;
    UInt n_accesses, n_exits;
    UInt request_word; /* where a client request finds its words; HSW_NO_WORD: it is none */
    struct hs_access accesses[HS_MAX_ACCESSES];
    struct hsw_exit exits[HS_MAX_EXITS];
    Int exit_statements[HS_MAX_EXITS];
};
/* False: there is too much of it. */
Bool hs_describe(const struct hs_superblock *b, struct hs_description *into);

/* blocks.c: the id of a block; new ones are sent. */
UInt hs_block_id(const struct hs_superblock *b, const struct hs_description *description);
void hs_blocks_forget(void); /* after a fork */

#endif
