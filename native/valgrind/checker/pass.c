/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pass that checks values: each superblock is translated as slow code or as fast code. */
#include "checker/checker.h"
#include "walk/twins.h"

/* Of the superblock that is being translated. */
static const struct hs_pass *code;

static Bool examine(struct hs_superblock *b) {
    code = hs_twins && !b->slow ? &hs_fast_code : &hs_slow_code;
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

static void start_block(struct hs_superblock *b) {
    if (code->start_block)
        code->start_block(b);
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
