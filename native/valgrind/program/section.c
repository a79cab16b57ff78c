/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The section of interest (--from, --until, and the collector's `stop`), the window of the
 * instruction stream within it (--stream-from, --stream-until, `stop_stream`) and C-points
 * (--cpoint and the client requests of heapstory.h): what happens at places that the user named.
 *
 * Outside the section the level is HS_NOTHING: allocations and modules are tracked all the same, so
 * that the section can start with a snapshot of them. Where it starts or ends, the superblock is
 * left at once and all translations are thrown away, so that the very next instruction is
 * translated for the other level.
 */
#include "program/program.h"
#include "shared/listeners.h"
#include "shared/options.h"
#include "shared/places.h"
#include "shared/ring.h"
#include "walk/ir.h"

#define EVERYTHING (1ull << 47)

static struct hs_place from, until, stream_from, stream_until;
static struct hs_place *cpoints;
static UInt n_cpoints;
static Bool lines_named;

static void parse(const HChar *option, const HChar *text, struct hs_place *place) {
    if (!hs_parse_place(text, place))
        VG_(fmsg_bad_option)(option, "%s is neither FUNC nor FILE:LINE\n", text);
    lines_named |= place->line != 0;
}

void hs_section_start(void) {
    XArray *list = hs_options.cpoints;
    if (hs_options.from) {
        parse("--from", hs_options.from, &from);
        hs_set_level(HS_NOTHING);
    }
    if (hs_options.until)
        parse("--until", hs_options.until, &until);
    if (hs_options.stream)
        hs_set_window(hs_options.stream_from ? HS_WINDOW_AHEAD : HS_WINDOW_OPEN);
    if (hs_options.stream_from)
        parse("--stream-from", hs_options.stream_from, &stream_from);
    if (hs_options.stream_until)
        parse("--stream-until", hs_options.stream_until, &stream_until);
    n_cpoints = list ? VG_(sizeXA)(list) : 0;
    cpoints = VG_(calloc)("hs.cpoints", n_cpoints + 1, sizeof *cpoints);
    for (UInt i = 0; i < n_cpoints; i++)
        parse("--cpoint", *(const HChar **)VG_(indexXA)(list, i), &cpoints[i]);
    /* A line may begin in the middle of a superblock, which is left there: registers must be right.
     */
    if (lines_named)
        VG_(clo_vex_control).iropt_register_updates_default = VexRegUpdAllregsAtEachInsn;
}

/* ---- crossing a border ---- */

static Bool before_section(void) {
    return !hs_recording() && !hs_stopped;
}

static Bool in_window(void) {
    return hs_level == HS_HEAP_AND_STREAM;
}

static Bool before_window(void) {
    return hs_recording() && hs_window == HS_WINDOW_AHEAD;
}

/* All answer 1 when the superblock must be left. */
static ULong from_reached(Addr code) {
    if (!before_section() || ++from.reached < from.times)
        return 0;
    hs_set_level(hs_level_to_record());
    hs_send_snapshot();
    return 1;
}

static ULong until_reached(Addr code) {
    if (!hs_recording() || ++until.reached < until.times)
        return 0;
    HS_TELL(left, code);
    hs_send_holds();
    hs_stop_recording();
    return 1;
}

static ULong stream_from_reached(Addr code) {
    if (!before_window() || ++stream_from.reached < stream_from.times)
        return 0;
    hs_set_window(HS_WINDOW_OPEN);
    return 1;
}

static ULong stream_until_reached(Addr code) {
    if (!in_window() || ++stream_until.reached < stream_until.times)
        return 0;
    HS_TELL(left, code);
    hs_set_window(HS_WINDOW_OVER);
    return 1;
}

static void insert_border(struct hs_superblock *b, const HChar *name, ULong (*function)(Addr)) {
    IRTemp answer = newIRTemp(b->out->tyenv, Ity_I64);
    hs_call_helper(b, unsafeIRDirty_1_N(answer, 0, name, VG_(fnptr_to_fnentry)((void *)function),
                                        mkIRExprVec_1(hs_const(b->instruction))));
    hs_leave_if(b, IRExpr_RdTmp(answer), hs_const(0), EVERYTHING);
}

/* ---- C-points ---- */

static void cpoint(Addr sp, Addr code, ULong kind_and_number, const HChar *name, Bool returning) {
    if (!hs_recording())
        return;
    hs_append_payload(HSW_WORD(HSW_CPOINT, sp), kind_and_number, name, VG_(strlen)(name) + 1, code);
    hs_scan_moment(returning);
}

static void option_cpoint(ULong number, Addr sp, Addr code) {
    cpoint(sp, code, number | (ULong)HSW_CPOINT_OPTION << 56,
           *(const HChar **)VG_(indexXA)(hs_options.cpoints, number), cpoints[number].at_exit);
}

void hs_client_cpoint(ThreadId tid, const HChar *name) {
    cpoint(VG_(get_SP)(tid), VG_(get_IP)(tid), (ULong)HSW_CPOINT_CLIENT << 56,
           hs_client_string(name) ? name : "", False);
}

static void insert_cpoint(struct hs_superblock *b, UInt number) {
    hs_call_helper(b, unsafeIRDirty_0_N(0, "hs_cpoint", VG_(fnptr_to_fnentry)(option_cpoint),
                                        mkIRExprVec_3(hs_const(number), hs_get(b, HS_OFFSET_RSP),
                                                      hs_const(b->instruction))));
}

/* ---- the pass ---- */

static Bool any; /* place in the superblock */

static Bool is_from(Addr code) {
    return before_section() && hs_place_starts(&from, code);
}

static Bool is_until(Addr code) {
    return hs_recording() && hs_options.until && hs_place_starts(&until, code);
}

static Bool is_stream_from(Addr code) {
    return before_window() && hs_place_starts(&stream_from, code);
}

static Bool is_stream_until(Addr code) {
    return in_window() && hs_options.stream_until && hs_place_starts(&stream_until, code);
}

static Bool is_place(Addr code) {
    if (is_from(code) || is_until(code) || is_stream_from(code) || is_stream_until(code))
        return True;
    for (UInt i = 0; hs_recording() && i < n_cpoints; i++)
        if (hs_place_starts(&cpoints[i], code) || hs_place_ends(&cpoints[i], code))
            return True;
    return False;
}

static Bool examine(struct hs_superblock *b) {
    any = False;
    for (Int i = 0; i < b->in->stmts_used && !any; i++)
        if (b->in->stmts[i]->tag == Ist_IMark)
            any = is_place(b->in->stmts[i]->Ist.IMark.addr);
    return any;
}

static void start_instruction(struct hs_superblock *b) {
    if (!any)
        return;
    if (is_from(b->instruction))
        insert_border(b, "hs_from_reached", from_reached);
    if (is_until(b->instruction))
        insert_border(b, "hs_until_reached", until_reached);
    if (is_stream_from(b->instruction))
        insert_border(b, "hs_stream_from_reached", stream_from_reached);
    if (is_stream_until(b->instruction))
        insert_border(b, "hs_stream_until_reached", stream_until_reached);
    for (UInt i = 0; hs_recording() && i < n_cpoints; i++)
        if (hs_place_starts(&cpoints[i], b->instruction))
            insert_cpoint(b, i);
}

static void end_block(struct hs_superblock *b) {
    if (!any || b->in->jumpkind != Ijk_Ret)
        return;
    for (UInt i = 0; hs_recording() && i < n_cpoints; i++)
        if (hs_place_ends(&cpoints[i], b->instruction))
            insert_cpoint(b, i);
}

const struct hs_pass hs_place_pass = {
    .examine = examine, .start_instruction = start_instruction, .end_block = end_block};
