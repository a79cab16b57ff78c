/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one walk over the statements of a superblock: copies them, and asks the passes what goes
 * around each, in the order in which they were added (main.c).
 */
#include "shared/listeners.h"
#include "shared/modules.h"
#include "shared/options.h"
#include "shared/ring.h"
#include "shared/versions.h"
#include "walk/ir.h"
#include "walk/twins.h"

#define MAX_PASSES 16

static const struct hs_pass *passes[MAX_PASSES + 1]; /* up to a NULL */

#define ASK(hook, ...)                                                                             \
    for (const struct hs_pass **pass = passes; *pass; pass++)                                      \
        if ((*pass)->hook)                                                                         \
    (*pass)->hook(__VA_ARGS__)

void hs_add_pass(const struct hs_pass *pass) {
    UInt n = 0;
    while (passes[n])
        n++;
    tl_assert(n < MAX_PASSES);
    passes[n] = pass;
}

static Bool is_left_out(Addr code) {
    for (const struct hs_listener **l = hs_listeners; *l; l++)
        if ((*l)->leaves_out && (*l)->leaves_out(code))
            return True;
    return False;
}

static Bool is_wanted(struct hs_superblock *b) {
    Bool wanted = False;
    for (const struct hs_pass **pass = passes; *pass; pass++)
        if ((*pass)->examine(b))
            wanted = True;
    return wanted;
}

static Bool is_replaced(struct hs_superblock *b) {
    for (const struct hs_pass **pass = passes; *pass; pass++)
        if ((*pass)->replace && (*pass)->replace(b))
            return True;
    return False;
}

/* True if the rest of the superblock was replaced together with the instruction. */
static Bool start_instruction(struct hs_superblock *b, IRStmt *mark) {
    Int emitted;
    b->first = !b->instruction;
    b->instruction = mark->Ist.IMark.addr;
    b->length = mark->Ist.IMark.len;
    b->number++;
    hs_stmt(b, mark);
    emitted = b->out->stmts_used;
    ASK(start_instruction, b);
    b->preceded = b->out->stmts_used != emitted;
    return is_replaced(b);
}

static void copy_statement(struct hs_superblock *b, IRStmt *s) {
    ASK(before_statement, b, s);
    hs_stmt(b, s);
    ASK(after_statement, b, s);
}

/* The instruction is taken back, and its twin goes on. */
static void leave(struct hs_superblock *b, Int mark) {
    b->out->stmts_used = mark;
    b->out->next = hs_const(b->instruction + HS_TWIN);
    b->out->jumpkind = Ijk_Boring;
}

static Bool is_of_redirection(const struct hs_superblock *b, const IRStmt *s) {
    return b->slow && s->tag == Ist_Put &&
           s->Ist.Put.offset == offsetof(VexGuestAMD64State, guest_NRADDR);
}

/* What comes before the first instruction. */
static Int copy_preamble(struct hs_superblock *b) {
    const IRSB *in = b->in;
    Int i = 0;
    for (; i < in->stmts_used && in->stmts[i]->tag != Ist_IMark; i++)
        if (!is_of_redirection(b, in->stmts[i]))
            hs_stmt(b, in->stmts[i]);
    ASK(start_block, b);
    if (b->appends)
        hs_check_room(b);
    return i;
}

static void copy(struct hs_superblock *b) {
    const IRSB *in = b->in;
    Bool replaced = False;
    Int mark = 0;
    b->out = deepCopyIRSBExceptStmts(in);
    for (Int i = copy_preamble(b); i < in->stmts_used && !replaced; i++) {
        b->statement = i;
        if (in->stmts[i]->tag == Ist_IMark) {
            mark = b->out->stmts_used;
            replaced = start_instruction(b, in->stmts[i]);
        } else
            copy_statement(b, in->stmts[i]);
        if (b->left) {
            leave(b, mark);
            return;
        }
    }
    ASK(end_block, b);
}

/* Names of new code are what the collector needs most time for in a short run: it is told of it
 * meanwhile, rather than when the segment is full or the program has ended. */
static void tell_of_new_code(void) {
    static UInt translated;
    if (++translated % 64 == 0)
        hs_share();
}

/* Newer versions of Valgrind read the symbols of a library when a name in it is first looked up,
 * and functions that only its separate symbols name are replaced from then on. Looked up at once,
 * so that a recording does not depend on the options that look up names. */
static void read_symbols(Addr code) {
#if HS_VALGRIND > 319
    const HChar *name;
    VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), code, &name);
#else
    (void)code;
#endif
}

IRSB *hs_walk(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
              const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
              IRType host_word) {
    Addr start = extents->base[0];
    tell_of_new_code();
    read_symbols(start);
    if (hs_twins)
        in = hs_delay_puts(in);
    struct hs_superblock b = {.in = in,
                              .out = in,
                              .start = start,
                              .own = hs_is_own(start),
                              .preload = hs_in_preload(start),
                              .left_out = hs_recording() && is_left_out(start),
                              .slow = closure->nraddr >= HS_TWIN && hs_twins,
                              .level = hs_level,
                              .guest_size = layout->total_sizeB,
                              .replaced = -1,
                              .sites_of = -1};
    if (is_wanted(&b))
        copy(&b);
    if (hs_twins && !(hs_options.without & HS_DROPPED_PUTS))
        hs_drop_puts(b.out);
    ASK(forget);
    VG_(free)(b.is_stack);
    return b.out;
}
