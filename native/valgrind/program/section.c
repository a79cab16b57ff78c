/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The section of interest (--from, --until, and the collector's `stop`) and C-points (--cpoint and
 * the client requests of heapstory.h).
 *
 * Outside the section code is not instrumented; allocations and modules are tracked all the same,
 * so that the section can start with a snapshot of them. Where it starts or ends, the superblock is
 * left at once and all translations are thrown away, so that the very next instruction is
 * translated in the other manner.
 */
#include "discovery/nodes.h"
#include "pub_tool_stacktrace.h"
#include "walk/ir.h"

extern void VG_(discard_translations)(Addr, ULong, const HChar *);

#define EVERYTHING (1ull << 47)
#define MAX_FRAMES 512

static struct hs_place from, until;
static struct hs_place *cpoints;
static UInt n_cpoints;
static Bool lines_named;
static Bool to_discard;

enum { BEFORE, WITHIN, AFTER } section = WITHIN;

static void parse(const HChar *option, const HChar *text, struct hs_place *place) {
    if (!hs_parse_place(text, place))
        VG_(fmsg_bad_option)(option, "%s is neither FUNC nor FILE:LINE\n", text);
    lines_named |= place->line != 0;
}

void hs_section_start(void) {
    XArray *list = hs_options.cpoints;
    if (hs_options.from) {
        parse("--from", hs_options.from, &from);
        section = BEFORE;
    }
    if (hs_options.until)
        parse("--until", hs_options.until, &until);
    n_cpoints = list ? VG_(sizeXA)(list) : 0;
    cpoints = VG_(calloc)("hs.cpoints", n_cpoints + 1, sizeof *cpoints);
    for (UInt i = 0; i < n_cpoints; i++)
        parse("--cpoint", *(const HChar **)VG_(indexXA)(list, i), &cpoints[i]);
    /* A line may begin in the middle of a superblock, which is left there: registers must be right.
     */
    if (lines_named)
        VG_(clo_vex_control).iropt_register_updates_default = VexRegUpdAllregsAtEachInsn;
    hs_recording = section == WITHIN;
    hs_live_init(hs_options.from || hs_options.follow_children || hs_options.snapshot_at_exit);
}

/* ---- the snapshot ---- */

static void send_stack(ThreadId tid) {
    UWord ips[MAX_FRAMES], sps[MAX_FRAMES], fps[MAX_FRAMES];
    static struct hsw_frame frames[MAX_FRAMES];
    UInt n = VG_(get_StackTrace)(tid, ips, MAX_FRAMES, sps, fps, 0);
    for (UInt i = 0; i < n; i++) {
        frames[n - 1 - i].pc = ips[i];
        frames[n - 1 - i].sp = i + 1 < n ? sps[i + 1] - 8 : sps[i];
    }
    hs_append_payload(HSW_WORD(HSW_STACK, tid), n * sizeof *frames, frames, n * sizeof *frames, 0);
}

static void send_live_blocks(void) {
    XArray *blocks = hs_live_sorted();
    for (Word i = 0; i < VG_(sizeXA)(blocks); i++) {
        const struct hs_block *block = VG_(indexXA)(blocks, i);
        hs_record(HSW_ALLOC, block->address, block->size | (ULong)block->allocator << 56);
        hs_range(block->address, block->size, HSW_RANGE_INITIAL, 0);
    }
    VG_(deleteXA)(blocks);
}

void hs_send_snapshot(void) {
    ThreadId tid;
    Addr low, high;
    hs_record(HSW_SNAPSHOT, 0, 0);
    hs_send_modules();
    if (hs_mode == HSW_ALLOCATIONS)
        send_live_blocks();
    else
        hs_send_nodes();
    hs_send_roots();
    VG_(thread_stack_reset_iter)(&tid);
    while (VG_(thread_stack_next)(&tid, &low, &high))
        send_stack(tid);
    tid = VG_(get_running_tid)();
    hs_record(HSW_SWITCH, tid, VG_(get_SP)(tid));
    hs_record(HSW_BEGIN, 0, 0);
}

/* ---- crossing a border ---- */

/* Both answer 1 when the superblock must be left. */
static ULong from_reached(void) {
    if (section != BEFORE || ++from.reached < from.times)
        return 0;
    section = WITHIN;
    hs_recording = True;
    hs_send_snapshot();
    return 1;
}

static ULong until_reached(void) {
    if (section != WITHIN || ++until.reached < until.times)
        return 0;
    hs_section_stop();
    return 1;
}

void hs_section_stop(void) {
    if (section == AFTER)
        return;
    hs_append_here(HSW_WORD(HSW_FINISH, 0), 0); /* the slack of the segment has room */
    section = AFTER;
    hs_recording = False;
    to_discard = True;
}

/* Between superblocks: after a stop the translations that still record are thrown away. */
void hs_section_poll(void) {
    if (!to_discard)
        return;
    to_discard = False;
    hs_scratch_ends();
    VG_(discard_translations)(0, EVERYTHING, "heapstory: stop");
}

static void leave_if(struct hs_block_state *b, const HChar *name, ULong (*function)(void)) {
    IRTemp answer = newIRTemp(b->out->tyenv, Ity_I64);
    IRExpr *leave;
    hs_call_helper(b, unsafeIRDirty_1_N(answer, 0, name, VG_(fnptr_to_fnentry)((void *)function),
                                        mkIRExprVec_0()));
    leave = hs_temp(b, Ity_I1, IRExpr_Binop(Iop_CmpNE64, IRExpr_RdTmp(answer), hs_const(0)));
    hs_stmt(b, IRStmt_Put(offsetof(VexGuestAMD64State, guest_CMSTART), hs_const(0)));
    hs_stmt(b, IRStmt_Put(offsetof(VexGuestAMD64State, guest_CMLEN), hs_const(EVERYTHING)));
    hs_stmt(b, IRStmt_Exit(leave, Ijk_InvalICache, IRConst_U64(b->instruction), HS_OFFSET_RIP));
}

/* ---- C-points ---- */

static void cpoint(Addr sp, Addr code, ULong kind_and_number, const HChar *name, Bool returning) {
    if (!hs_recording)
        return;
    hs_append_payload(HSW_WORD(HSW_CPOINT, sp), kind_and_number, name, VG_(strlen)(name) + 1, code);
    hs_scan_threads(returning);
}

static void option_cpoint(ULong number, Addr sp, Addr code) {
    cpoint(sp, code, number | (ULong)HSW_CPOINT_OPTION << 56,
           *(const HChar **)VG_(indexXA)(hs_options.cpoints, number), cpoints[number].at_exit);
}

void hs_client_cpoint(ThreadId tid, const HChar *name) {
    cpoint(VG_(get_SP)(tid), VG_(get_IP)(tid), (ULong)HSW_CPOINT_CLIENT << 56,
           hs_client_string(name) ? name : "", False);
}

static void insert_cpoint(struct hs_block_state *b, UInt number) {
    hs_call_helper(b, unsafeIRDirty_0_N(0, "hs_cpoint", VG_(fnptr_to_fnentry)(option_cpoint),
                                        mkIRExprVec_3(hs_const(number), hs_get(b, HS_OFFSET_RSP),
                                                      hs_const(b->instruction))));
}

/* ---- what the instrumenter asks ---- */

Bool hs_places_exist(void) {
    return section == BEFORE || (section == WITHIN && (hs_options.until || n_cpoints));
}

Bool hs_place_in_block(const IRSB *in) {
    if (!hs_places_exist())
        return False;
    for (Int i = 0; i < in->stmts_used; i++)
        if (in->stmts[i]->tag == Ist_IMark) {
            Addr code = in->stmts[i]->Ist.IMark.addr;
            if (section == BEFORE && hs_place_starts(&from, code))
                return True;
            if (section == WITHIN && hs_options.until && hs_place_starts(&until, code))
                return True;
            for (UInt k = 0; k < n_cpoints; k++)
                if (hs_place_starts(&cpoints[k], code) || hs_place_ends(&cpoints[k], code))
                    return True;
        }
    return False;
}

void hs_instrument_places(struct hs_block_state *b) {
    if (section == BEFORE && hs_place_starts(&from, b->instruction))
        leave_if(b, "hs_from_reached", from_reached);
    if (section != WITHIN)
        return;
    if (hs_options.until && hs_place_starts(&until, b->instruction))
        leave_if(b, "hs_until_reached", until_reached);
    for (UInt i = 0; i < n_cpoints; i++)
        if (hs_place_starts(&cpoints[i], b->instruction))
            insert_cpoint(b, i);
}

void hs_instrument_exit_places(struct hs_block_state *b) {
    for (UInt i = 0; section == WITHIN && i < n_cpoints; i++)
        if (hs_place_ends(&cpoints[i], b->instruction))
            insert_cpoint(b, i);
}
