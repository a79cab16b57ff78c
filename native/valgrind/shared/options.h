/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tool's command line. */
#ifndef HEAPSTORY_SHARED_OPTIONS_H
#define HEAPSTORY_SHARED_OPTIONS_H

#include "shared/tool.h"

struct hs_options {
    const HChar *collector;      /* program to start; NULL: records go nowhere */
    const HChar *trace;          /* folder handed to it */
    XArray *collector_arguments; /* of const HChar* */
    Int ring_segments;
    Int segment_kib;
    Bool follow_children;
    Bool frames;               /* record stores to the threads' stacks */
    Bool snapshot_at_exit;     /* for tests */
    Bool abort_on_bad_free;    /* see functions/allocations.c */
    ULong fail_allocation;     /* ordinal, see functions/failures.c; 0: none */
    XArray *own, *not_own;     /* path prefixes, const HChar* */
    const HChar *from, *until; /* section of interest, see program/section.c */
    XArray *cpoints;           /* const HChar* */
    XArray *alloc_functions;   /* const HChar*, see functions/custom_alloc.c */
    XArray *free_functions;
    XArray *allocators; /* const HChar*, see discovery/left_out.c */
    Bool stream;        /* the instruction stream, see stream/ */
    Bool stores;        /* without them, births and deaths of blocks and calls only */
    Bool contents;      /* send what live blocks hold at the end, where stores were not */
    Bool check;         /* see checker/ */
    Bool values;        /* and whether values are defined */
    Bool speculate;     /* by fast code that expects them to be; off for comparison */
    UInt without;       /* what makes it fast, left out for comparison: enum hs_without */
    Bool statistics;    /* say at the end how often which code ran */
    Int redzone;        /* bytes between the blocks of a checked program */
    Long delay;         /* bytes of freed blocks that are not reused */
    Long scan_every;    /* milliseconds, 0: only at the end */
    XArray *hidden;     /* const HChar*, see program/hidden.c */
    Bool truth;         /* tell what the allocation functions do, for comparison */
    const HChar *stream_from, *stream_until; /* the stream's window, see program/section.c */
};
enum hs_without {
    HS_SHARED_TESTS = 1,  /* of accesses through one pointer */
    HS_INLINE_STACK = 2,  /* states of the stack by generated code */
    HS_SPECIAL_PAGES = 4, /* for large ranges of one state */
    HS_DROPPED_PUTS = 8,  /* that nobody sees */
    HS_SENTINELS = 16     /* for unknown system calls */
};
extern struct hs_options hs_options;
extern UInt hs_mode; /* enum hsw_mode */

void hs_options_init(void);

#endif
