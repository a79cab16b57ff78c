/* SPDX-License-Identifier: GPL-2.0-or-later */
/* VALGRIND_DISABLE_ERROR_REPORTING and VALGRIND_ENABLE_ERROR_REPORTING, by thread and nested. The
 * core keeps this request to itself, so that generated code looks at each before it is made.
 */
#include "program/program.h"
#include "pub_tool_threadstate.h"
#include "shared/errors.h"
#include "shared/listeners.h"
#include "walk/ir.h"

#include "valgrind.h"

static UInt *depth; /* by thread; 0: errors are told */

static void asked(const UWord *arguments) {
    UInt *mine = &depth[VG_(get_running_tid)()];
    if (arguments[0] != VG_USERREQ__CHANGE_ERR_DISABLEMENT)
        return;
    if ((Word)arguments[1] == 1)
        ++*mine;
    else if ((Word)arguments[1] == -1 && *mine)
        --*mine;
}

static Bool is_silent(ThreadId tid) {
    return depth[tid] != 0;
}

static void thread_starts(ThreadId tid) {
    depth[tid] = 0;
}

static Bool examine(struct hs_superblock *b) {
    return b->in->jumpkind == Ijk_ClientReq;
}

static void end_block(struct hs_superblock *b) {
    if (b->in->jumpkind == Ijk_ClientReq)
        hs_call_helper(b, unsafeIRDirty_0_N(0, "hs_asked", VG_(fnptr_to_fnentry)(asked),
                                            mkIRExprVec_1(hs_get(b, HS_OFFSET_RAX))));
}

const struct hs_pass hs_silence_pass = {.examine = examine, .end_block = end_block};
static const struct hs_listener listener = {.thread_starts = thread_starts};

void hs_silence_start(void) {
    depth = VG_(calloc)("hs.silence", VG_N_THREADS, sizeof *depth);
    hs_listen(&listener);
    hs_hide_errors(is_silent);
}
