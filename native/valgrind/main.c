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
#include "checker/checker.h"
#include "discovery/discovery.h"
#include "functions/functions.h"
#include "functions/watch.h"
#include "program/program.h"
#include "recorder/recorder.h"
#include "shared/errors.h"
#include "shared/memory.h"
#include "shared/modules.h"
#include "shared/options.h"
#include "shared/pages.h"
#include "shared/ring.h"
#include "stream/stream.h"

/* In the order in which they are asked around a statement. */
static void add_passes(void) {
    Bool discovers = hs_mode != HSW_ALLOCATIONS;
    if (hs_options.values) /* what leaves an instruction comes before what others say of it */
        hs_add_pass(&hs_values_pass);
    if (hs_options.stream)
        hs_add_pass(&hs_stream_pass);
    hs_add_pass(&hs_watch_pass);
    hs_add_pass(&hs_place_pass);
    hs_add_pass(&hs_string_pass);
    hs_add_pass(&hs_rep_pass);
    if (discovers)
        hs_add_pass(&hs_discovery_pass);
    hs_add_pass(&hs_record_pass);
    if (discovers)
        hs_add_pass(&hs_free_list_pass);
    if (hs_options.check && !hs_options.values)
        hs_add_pass(&hs_light_pass);
    if (hs_options.check)
        hs_add_pass(&hs_silence_pass);
}

static void post_options(void) {
    /* Records must come in program order, and once. */
    VG_(clo_vex_control).guest_chase = False;
    VG_(clo_vex_control).iropt_unroll_thresh = 0;
    if (hs_options.collector && !hs_options.trace)
        VG_(fmsg_bad_option)("--collector", "--trace=DIR is missing\n");
    hs_surroundings_start();
    hs_pages_init();
    hs_errors_start();
    if (hs_options.check) {
        hs_checker_start();
        hs_nudge_start();
        hs_silence_start();
    }
    hs_hidden_start();
    hs_scan_start();
    hs_section_start(); /* may ask for more exact registers than others */
    hs_live_start();
    hs_custom_start();
    hs_recorder_start();
    if (hs_options.stream)
        hs_stream_start();
    if (hs_mode != HSW_ALLOCATIONS)
        hs_discovery_start();
    add_passes();
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
    VG_(basic_tool_funcs)(post_options, hs_walk, hs_finish);
    hs_options_init();
    hs_allocations_init();
    hs_modules_init();
    hs_memory_init();
    hs_process_init();
    hs_client_init();
}

VG_DETERMINE_INTERFACE_VERSION(pre_options)
