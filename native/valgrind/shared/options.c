/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recorder's options. `heapstory record` writes this command line; users do not see it. */
#include "shared/options.h"

struct hs_options hs_options;
UInt hs_mode = HSW_ALLOCATIONS;

static void add(XArray **list, const HChar *value) {
    if (!*list)
        *list = VG_(newXA)(VG_(malloc), "hs.option", VG_(free), sizeof(const HChar *));
    VG_(addToXA)(*list, &value);
}

static Bool leave_out(const HChar *name) {
    static const HChar *const names[] = {"shared-tests", "inline-stack", "special-pages",
                                         "dropped-puts", "sentinels"};
    for (UInt n = 0; n < sizeof names / sizeof *names; n++)
        if (VG_(strcmp)(name, names[n]) == 0) {
            hs_options.without |= 1u << n;
            return True;
        }
    return False;
}

static Bool process_option(const HChar *argument) {
    const HChar *value;
    if VG_STR_CLO (argument, "--collector", hs_options.collector) {
    } else if VG_STR_CLO (argument, "--trace", hs_options.trace) {
    } else if VG_STR_CLO (argument, "--collector-arg", value) {
        add(&hs_options.collector_arguments, value);
    } else if VG_BINT_CLO (argument, "--ring-segments", hs_options.ring_segments, 2, 256) {
    } else if VG_BINT_CLO (argument, "--segment-kib", hs_options.segment_kib, 128, 65536) {
    } else if VG_BOOL_CLO (argument, "--follow-children", hs_options.follow_children) {
    } else if VG_BOOL_CLO (argument, "--frames", hs_options.frames) {
    } else if VG_BOOL_CLO (argument, "--abort-on-bad-free", hs_options.abort_on_bad_free) {
    } else if VG_BOOL_CLO (argument, "--snapshot-at-exit", hs_options.snapshot_at_exit) {
    } else if VG_BINT_CLO (argument, "--fail-allocation", hs_options.fail_allocation, 1,
                           (Long)1 << 60) {
    } else if VG_STR_CLO (argument, "--own", value) {
        add(&hs_options.own, value);
    } else if VG_STR_CLO (argument, "--not-own", value) {
        add(&hs_options.not_own, value);
    } else if VG_STR_CLO (argument, "--from", hs_options.from) {
    } else if VG_STR_CLO (argument, "--until", hs_options.until) {
    } else if VG_STR_CLO (argument, "--cpoint", value) {
        add(&hs_options.cpoints, value);
    } else if VG_STR_CLO (argument, "--alloc-fn", value) {
        add(&hs_options.alloc_functions, value);
    } else if VG_STR_CLO (argument, "--free-fn", value) {
        add(&hs_options.free_functions, value);
    } else if VG_BINT_CLO (argument, "--scan-every", hs_options.scan_every, 0, (Long)1 << 40) {
    } else if VG_STR_CLO (argument, "--hide-syscall", value) {
        add(&hs_options.hidden, value);
    } else if VG_XACT_CLO (argument, "--mode=alloc", hs_mode, HSW_ALLOCATIONS) {
    } else if VG_XACT_CLO (argument, "--mode=portable", hs_mode, HSW_PORTABLE) {
    } else if VG_XACT_CLO (argument, "--mode=internals", hs_mode, HSW_INTERNALS) {
    } else if VG_STR_CLO (argument, "--allocator", value) {
        add(&hs_options.allocators, value);
    } else if VG_BOOL_CLO (argument, "--stream", hs_options.stream) {
    } else if VG_BOOL_CLO (argument, "--stores", hs_options.stores) {
    } else if VG_BOOL_CLO (argument, "--contents-at-exit", hs_options.contents) {
    } else if VG_XACT_CLO (argument, "--check=no", hs_options.check, False) {
    } else if VG_XACT_CLO (argument, "--check=light", hs_options.check, True) {
    } else if VG_XACT_CLO (argument, "--check=yes", hs_options.values, True) {
        hs_options.check = True;
    } else if VG_BOOL_CLO (argument, "--speculate", hs_options.speculate) {
    } else if VG_STR_CLO (argument, "--without", value) {
        return leave_out(value);
    } else if VG_BOOL_CLO (argument, "--statistics", hs_options.statistics) {
    } else if VG_BINT_CLO (argument, "--redzone", hs_options.redzone, 16, 4096) {
        hs_options.redzone = (hs_options.redzone + 15) & ~15;
    } else if VG_BINT_CLO (argument, "--delay", hs_options.delay, 0, (Long)1 << 36) {
    } else if VG_STR_CLO (argument, "--stream-from", hs_options.stream_from) {
    } else if VG_STR_CLO (argument, "--stream-until", hs_options.stream_until) {
    } else if VG_BOOL_CLO (argument, "--truth", hs_options.truth) {
    } else
        return VG_(replacement_malloc_process_cmd_line_option)(argument);
    return True;
}

static void print_usage(void) {
    VG_(printf)
    ("    --collector=PATH --trace=DIR  start PATH, which writes the trace DIR\n"
     "    --collector-arg=X             one more argument for it (repeatable)\n"
     "    --ring-segments=N             segments of the ring [8]\n"
     "    --segment-kib=N               size of one [512]\n"
     "    --follow-children=no|yes      forked children get a trace of their own [no]\n"
     "    --frames=no|yes               stacks are recorded memory [no]\n"
     "    --abort-on-bad-free=no|yes    a free of what is no block ends the program [no]\n"
     "    --fail-allocation=K           the K-th allocation finds no memory\n"
     "    --own=PREFIX                  modules under PREFIX are the program's own\n"
     "    --not-own=PREFIX              and these are not\n"
     "    --from=FUNC|FILE:LINE[#K]     record from the K-th time this is reached\n"
     "    --until=FUNC|FILE:LINE[#K]    and until this\n"
     "    --cpoint=FUNC[:entry|:exit]|FILE:LINE\n"
     "    --alloc-fn=NAME[:ARG[*ARG]]   a custom allocator and its size argument\n"
     "    --free-fn=NAME[:ARG]          and what gives its blocks back\n"
     "    --check=no|light|yes          look for accesses outside of blocks, and for values\n"
     "                                  that were never set [no]\n"
     "    --redzone=N                   bytes between blocks, then [32]\n"
     "    --delay=N                     bytes of freed blocks that are not reused, then "
     "[20000000]\n"
     "    --scan-every=MS               look for what is lost so often, then [0: at the end only]\n"
     "    --hide-syscall=NAME           as if nobody knew what this call reads and writes\n"
     "    --stores=no|yes               record stores [yes]\n"
     "    --contents-at-exit=no|yes     where they are not: what live blocks hold at the end [no]\n"
     "    --mode=alloc|portable|internals  how nodes are found [alloc]\n"
     "    --allocator=NAME|LIBRARY|LOW-HIGH  left out in mode portable\n"
     "    --stream=no|yes               the instruction stream as well [no]\n"
     "    --stream-from=FUNC|FILE:LINE[#K]   from the K-th time this is reached\n"
     "    --stream-until=FUNC|FILE:LINE[#K]  and until this\n");
}

static void print_debug_usage(void) {
    VG_(printf)
    ("    --speculate=no|yes            values are expected to be defined, then [yes]\n");
    VG_(printf)
    ("    --without=shared-tests|inline-stack|special-pages|dropped-puts|sentinels\n"
     "                                  and without this (repeatable)\n");
    VG_(printf)("    --statistics=no|yes           how often fast and slow code ran [no]\n");
    VG_(printf)("    --truth=no|yes                what malloc and free did, to compare [no]\n");
    VG_(printf)("    --snapshot-at-exit=no|yes     send all contents once more, to compare [no]\n");
}

void hs_options_init(void) {
    hs_options.ring_segments = 8;
    hs_options.segment_kib = 512;
    hs_options.stores = True;
    hs_options.redzone = 32;
    hs_options.speculate = True;
    hs_options.delay = 20000000;
    VG_(needs_command_line_options)(process_option, print_usage, print_debug_usage);
}
