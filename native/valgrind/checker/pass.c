/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pass that checks values: each superblock is translated as slow code or as fast code. */
#include "checker/checker.h"

#define CODE(b) (&hs_slow_code)

static Bool examine(struct hs_superblock *b) {
    return CODE(b)->examine(b);
}

static void start_instruction(struct hs_superblock *b) {
    CODE(b)->start_instruction(b);
}

static void before_statement(struct hs_superblock *b, const IRStmt *s) {
    CODE(b)->before_statement(b, s);
}

static void after_statement(struct hs_superblock *b, const IRStmt *s) {
    CODE(b)->after_statement(b, s);
}

static void end_block(struct hs_superblock *b) {
    CODE(b)->end_block(b);
}

static void forget(void) {
    hs_slow_code.forget();
}

const struct hs_pass hs_values_pass = {.examine = examine,
                                       .start_instruction = start_instruction,
                                       .before_statement = before_statement,
                                       .after_statement = after_statement,
                                       .end_block = end_block,
                                       .forget = forget};
