/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heapstory's recorder: a Valgrind tool that sends every change of the heap and of module data,
 * with calls, threads and signals, to a collector process. The stream is described in
 * native/wire/heapstory_wire.h; each file says what it covers and what it does not.
 *
 * Run from a folder (VALGRIND_LIB) that holds
 *     heapstory-amd64-linux                   this tool
 *     vgpreload_heapstory-amd64-linux.so      its preload object
 *     vgpreload_core-amd64-linux.so, default.supp, *.xml      (links to Valgrind's own files)
 * as
 *     VALGRIND_LIB=FOLDER valgrind --tool=heapstory -q --vgdb=no --trace-children=yes
 *         --collector=PATH --trace=DIR PROGRAM ...
 */
#include "discovery/nodes.h"

static void post_options(void) {
    /* Records must come in program order, and once. */
    VG_(clo_vex_control).guest_chase = False;
    VG_(clo_vex_control).iropt_unroll_thresh = 0;
    if (hs_options.collector && !hs_options.trace)
        VG_(fmsg_bad_option)("--collector", "--trace=DIR is missing\n");
    hs_pages_init();
    hs_section_start();
    hs_custom_start();
    hs_left_out_start();
    hs_formats_start();
    hs_heap_init();
    hs_ring_start();
    if (hs_mode != HSW_ALLOCATIONS)
        hs_record(HSW_MODE, hs_mode, 0);
}

static void pre_options(void) {
    VG_(details_name)("heapstory");
    VG_(details_version)(NULL);
    VG_(details_description)("records the heap with its whole history");
    VG_(details_copyright_author)("GNU GPL'd, by the heapstory authors");
    VG_(details_bug_reports_to)("the heapstory authors");
    VG_(details_avg_translation_sizeB)(400);
    VG_(basic_tool_funcs)(post_options, hs_instrument, hs_finish);
    hs_init_options();
    VG_(needs_command_line_options)(hs_process_option, hs_print_usage, hs_print_debug_usage);
    hs_allocations_init();
    hs_modules_init();
    hs_process_init();
    hs_client_init();
    hs_heap_events_init();
}

VG_DETERMINE_INTERFACE_VERSION(pre_options)
