/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one walk over the statements of a superblock: copies them, and asks the passes what goes
 * around each, in the order in which they were added (main.c).
 */
#include "shared/listeners.h"
#include "shared/modules.h"
#include "shared/ring.h"
#include "walk/ir.h"

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
    b->first = !b->instruction;
    b->instruction = mark->Ist.IMark.addr;
    b->length = mark->Ist.IMark.len;
    b->number++;
    hs_stmt(b, mark);
    ASK(start_instruction, b);
    return is_replaced(b);
}

static void copy_statement(struct hs_superblock *b, IRStmt *s) {
    ASK(before_statement, b, s);
    hs_stmt(b, s);
    ASK(after_statement, b, s);
}

static void copy(struct hs_superblock *b) {
    const IRSB *in = b->in;
    Bool replaced = False;
    Int i = 0;
    b->out = deepCopyIRSBExceptStmts(in);
    while (i < in->stmts_used && in->stmts[i]->tag != Ist_IMark)
        hs_stmt(b, in->stmts[i++]);
    if (b->appends)
        hs_check_room(b);
    for (; i < in->stmts_used && !replaced; i++) {
        b->statement = i;
        if (in->stmts[i]->tag == Ist_IMark)
            replaced = start_instruction(b, in->stmts[i]);
        else
            copy_statement(b, in->stmts[i]);
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

IRSB *hs_walk(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
              const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
              IRType host_word) {
    Addr start = extents->base[0];
    tell_of_new_code();
    struct hs_superblock b = {.in = in,
                              .out = in,
                              .start = start,
                              .own = hs_is_own(start),
                              .preload = hs_in_preload(start),
                              .left_out = hs_recording() && is_left_out(start),
                              .level = hs_level,
                              .guest_size = layout->total_sizeB,
                              .replaced = -1,
                              .sites_of = -1};
    if (is_wanted(&b))
        copy(&b);
    ASK(forget);
    VG_(free)(b.is_stack);
    return b.out;
}
