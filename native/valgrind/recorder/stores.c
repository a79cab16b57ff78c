/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The record pass: every store that may hit the heap or module data appends a record by generated
 * code (walk/append.c). How far the cursor moves behind it is the page map's byte for the stored
 * address.
 *
 * Left out: stores at a constant distance from the stack pointer, as long as no thread ran on a
 * stack in recorded memory (a coroutine's that was allocated, a variable); the second page of a
 * store that straddles two pages when its first one is not recorded.
 */
#include "recorder/recorder.h"

#include "shared/listeners.h"
#include "shared/options.h"
#include "shared/ranges.h"
#include "shared/sites.h"
#include "shared/stacks.h"
#include "walk/ir.h"

static void record_word(struct hs_superblock *b, const struct hs_word *word, IRExpr *guard) {
    IRExpr *first, *advance;
    ULong site = word->site;
    if (word->address->tag == Iex_Const)
        first = hs_const(HSW_WORD(site, word->address->Iex.Const.con->Ico.U64 & HSW_ADDRESS_MASK));
    else
        first = hs_binop(b, Iop_Or64, word->address, hs_const(HSW_WORD(site, 0)));
    advance = hs_page_byte(b, word->address, guard);
    hs_emit(b, first, word->value, advance);
}

/* ---- memory written by helpers of the simulated processor (fxsave, fnstenv, ...) ---- */

static void helper_wrote(Addr address, SizeT size, ULong site) {
    hs_range(address, size, HSW_RANGE_COPY, site);
}

static void record_helper(struct hs_superblock *b, const IRDirty *details) {
    ULong site = hs_new_site(b->instruction, 0, HSW_SITE_RANGED, b->own);
    hs_call_if(b, details->guard, "hs_helper_wrote", helper_wrote,
               mkIRExprVec_3(details->mAddr, hs_const(details->mSize), hs_const(site)));
}

static Bool is_helper(struct hs_superblock *b, const IRStmt *s) {
    const IRDirty *details = s->tag == Ist_Dirty ? s->Ist.Dirty.details : NULL;
    return details && (details->mFx == Ifx_Write || details->mFx == Ifx_Modify) &&
           !hs_is_unrecorded_stack(b, details->mAddr);
}

/* ---- stacks in recorded memory ---- */

/* Where code goes over to another stack, that is looked at, wherever it leaves the block. If it is
 * the first one in recorded memory, all code must be translated anew: the block ends in the
 * scheduler, which does that. */
static Bool looks_at_stack(struct hs_superblock *b) {
    return !hs_stacks_recorded && hs_leaves_stack(b);
}

static void look_at_stack(struct hs_superblock *b) {
    hs_call_helper(b, unsafeIRDirty_0_N(0, "hs_stack_seen", VG_(fnptr_to_fnentry)(hs_stack_seen),
                                        mkIRExprVec_1(hs_get(b, HS_OFFSET_RSP))));
}

static Bool is_jump(IRJumpKind kind) {
    return kind == Ijk_Boring || kind == Ijk_Call || kind == Ijk_Ret;
}

/* The original way out is behind this one, and never taken. */
static void look_at_stack_before_exit(struct hs_superblock *b, const IRStmt *exit) {
    look_at_stack(b);
    if (is_jump(exit->Ist.Exit.jk))
        hs_stmt(b, IRStmt_Exit(exit->Ist.Exit.guard, Ijk_Yield, exit->Ist.Exit.dst,
                               exit->Ist.Exit.offsIP));
}

static void look_at_stack_at_end(struct hs_superblock *b) {
    look_at_stack(b);
    if (is_jump(b->in->jumpkind))
        b->out->jumpkind = Ijk_Yield;
}

/* ---- the pass ---- */

static Bool writes(struct hs_superblock *b) {
    if (!hs_options.stores)
        return False;
    for (Int i = 0; i < b->in->stmts_used; i++)
        if (hs_is_store(b, b->in->stmts[i]) || is_helper(b, b->in->stmts[i]))
            return True;
    return False;
}

static Bool examine(struct hs_superblock *b) {
    Bool returns = b->in->jumpkind == Ijk_Ret, appends;
    if (!hs_is_recorded(b))
        return False;
    if (b->own)
        hs_find_receiver(b);
    appends = writes(b) || hs_wants_call(b) || (returns && b->own) || hs_jumps_away(b);
    b->appends |= appends;
    return appends || returns ||
           looks_at_stack(b); /* a return of other code at most takes a call back */
}

static void before_statement(struct hs_superblock *b, const IRStmt *s) {
    if (s->tag == Ist_Exit && hs_is_recorded(b) && looks_at_stack(b))
        look_at_stack_before_exit(b, s);
}

static void after_statement(struct hs_superblock *b, const IRStmt *s) {
    if (!hs_is_recorded(b) || !hs_options.stores)
        return;
    if (hs_is_store(b, s)) {
        struct hs_stored stored = hs_words_stored(b, s);
        for (UInt i = 0; i < stored.n; i++)
            record_word(b, &stored.word[i], stored.guard);
    } else if (is_helper(b, s))
        record_helper(b, s->Ist.Dirty.details);
}

static void end_block(struct hs_superblock *b) {
    if (!hs_is_recorded(b))
        return;
    if (looks_at_stack(b))
        look_at_stack_at_end(b);
    if (hs_wants_call(b))
        hs_record_call(b);
    else if (b->in->jumpkind == Ijk_Ret)
        hs_record_return(b);
    else if (hs_jumps_away(b))
        hs_record_jump_away(b);
}

/* The last of all passes: others have said all of a way out before this one adds another. */
const struct hs_pass hs_record_pass = {.examine = examine,
                                       .before_statement = before_statement,
                                       .after_statement = after_statement,
                                       .end_block = end_block};

static const struct hs_listener listener = {.forked = hs_receivers_forget};

void hs_recorder_start(void) {
    hs_listen(&listener);
}
