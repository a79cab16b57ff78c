/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pass that checks values: each superblock is translated as slow code or as fast code. */
#include "checker/checker.h"
#include "shared/options.h"
#include "walk/ir.h"
#include "walk/twins.h"

/* Of the superblock that is being translated. */
static const struct hs_pass *code;

static Bool examine(struct hs_superblock *b) {
    code = hs_twins && !b->slow ? &hs_fast_code : &hs_slow_code;
    if (!b->slow)
        hs_check_code(b);
    return code->examine(b);
}

static void start_instruction(struct hs_superblock *b) {
    code->start_instruction(b);
}

static void before_statement(struct hs_superblock *b, const IRStmt *s) {
    code->before_statement(b, s);
}

static void after_statement(struct hs_superblock *b, const IRStmt *s) {
    code->after_statement(b, s);
}

static ULong n_fast, n_slow; /* superblocks that ran */

static void count(struct hs_superblock *b, ULong *counter) {
    IRExpr *at = hs_const((Addr)counter);
    IRExpr *n = hs_binop(b, Iop_Add64, hs_load64(b, at), hs_const(1));
    hs_stmt(b, IRStmt_Store(Iend_LE, at, n));
}

static void start_block(struct hs_superblock *b) {
    if (code->start_block)
        code->start_block(b);
    if (hs_options.statistics)
        count(b, code == &hs_fast_code ? &n_fast : &n_slow);
}

void hs_say_statistics(void) {
    if (hs_options.statistics)
        VG_(umsg)("%llu superblocks of fast code, %llu of slow code\n", n_fast, n_slow);
}

static void end_block(struct hs_superblock *b) {
    if (code->end_block)
        code->end_block(b);
}

static void forget(void) {
    code->forget();
}

const struct hs_pass hs_values_pass = {.examine = examine,
                                       .start_block = start_block,
                                       .start_instruction = start_instruction,
                                       .before_statement = before_statement,
                                       .after_statement = after_statement,
                                       .end_block = end_block,
                                       .forget = forget};
