/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The discovery pass (modes portable and internals): generated code checks that accesses stay in
 * the node of the pointer they were computed from; what it finds is learnt in C (inference.c), with
 * what is heard of ranged operations and of the kernel.
 */
#include "discovery/pass.h"

#include "discovery/discovery.h"

static Bool examines; /* the present superblock */

static Bool examine(struct hs_superblock *b) {
    Bool found;
    examines = hs_is_recorded(b) && !hs_is_allocators(b->start);
    if (!examines)
        return False;
    hs_find_definitions(b);
    hs_find_free_lists(b);
    hs_find_steps(b);
    found = hs_find_bases(b);
    return found || hs_derives(b) || hs_begins_function(b);
}

static void start_instruction(struct hs_superblock *b) {
    if (examines && b->first)
        hs_look_at_entry(b);
}

static void before_statement(struct hs_superblock *b, const IRStmt *s) {
    if (!examines)
        return;
    hs_check_accesses(b);
    hs_check_steps(b);
}

static void after_statement(struct hs_superblock *b, const IRStmt *s) {
    if (!examines)
        return;
    hs_note_derived(b, s);
    hs_check_pointers(b, s);
}

static void end_block(struct hs_superblock *b) {
    if (examines && b->in->jumpkind == Ijk_Ret)
        hs_look_at_return(b);
}

static void forget(void) {
    hs_forget_definitions();
    hs_forget_bases();
    hs_forget_steps();
}

const struct hs_pass hs_discovery_pass = {.examine = examine,
                                          .start_instruction = start_instruction,
                                          .before_statement = before_statement,
                                          .after_statement = after_statement,
                                          .end_block = end_block,
                                          .forget = forget};

static void ends(void) {
    hs_send_counts();
    hs_send_candidates();
}

static const struct hs_listener listener = {.thread_starts = hs_heap_thread,
                                            .mapped = hs_heap_mapped,
                                            .unmapped = hs_heap_unmapped,
                                            .protected = hs_heap_protected,
                                            .remapped = hs_heap_remapped,
                                            .brk_grows = hs_heap_grows,
                                            .brk_shrinks = hs_heap_shrinks,
                                            .reads = hs_ranged_read,
                                            .overwrites = hs_copy_over_fields,
                                            .wrote = hs_ranged_access,
                                            .leaves_out = hs_is_left_out,
                                            .snapshot = hs_send_nodes,
                                            .ends = ends};

void hs_discovery_start(void) {
    hs_left_out_start();
    hs_formats_start();
    hs_heap_start();
    hs_listen(&listener);
}
