/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the discovery pass looks for in a superblock: each file finds its own, keeps it while the
 * superblock is copied, and emits its checks.
 */
#ifndef HEAPSTORY_DISCOVERY_PASS_H
#define HEAPSTORY_DISCOVERY_PASS_H

#include "discovery/nodes.h"
#include "walk/ir.h"

/* sums.c */
#define HS_LEAVES 3
struct hs_sum {
    IRExpr *leaf[HS_LEAVES];
    UInt n;
    Long constant;
    Bool indexed; /* and something that is no pointer */
    Bool skip;    /* not to be looked at */
};
void hs_find_definitions(const struct hs_superblock *b);
void hs_forget_definitions(void);
IRExpr *hs_definition(const IRExpr *e); /* of a temporary, NULL if no expression is */
struct hs_sum hs_sum_of(struct hs_superblock *b, IRExpr *address);
Bool hs_is_same(const IRExpr *x, const IRExpr *y); /* value */

/* maps.c: generated code that looks into the maps. */
IRExpr *hs_map_byte(struct hs_superblock *b, IRExpr *map, IRExpr *address); /* of a byte map */
IRExpr *hs_owner_at(struct hs_superblock *b, IRExpr *address);

/* bases.c: which accesses to check. What a check is about lives as long as generated code. */
struct hs_check {
    UInt n, room;
    UInt useless; /* how often it failed in vain */
    struct hs_access access[];
};
/* A check to be inserted before a statement. */
struct hs_plan {
    Int statement;
    UInt n_leaves;
    IRExpr *leaf[HS_LEAVES];
    IRExpr *address; /* NULL: constant distances, `check` says which */
    Int low, high;   /* of the distances, the leaf included */
    Bool whole;      /* some access is a whole word: the leaf is aligned */
    Bool open;       /* no exit since */
    Bool derived;    /* the leaf may have been computed from a pointer before (derived.c) */
    struct hs_check *check;
};
#define HS_MAX_SPAN (8 * HS_REACH)
Bool hs_find_bases(struct hs_superblock *b);
void hs_forget_bases(void);
void hs_check_accesses(struct hs_superblock *b);
void hs_check_is_useless(const struct hs_check *check);
void hs_derived_is_useless(const struct hs_check *check);

/* checks.c */
void hs_insert_check(struct hs_superblock *b, const struct hs_plan *plan);

/* derived.c */
Bool hs_derives(struct hs_superblock *b);
void hs_note_derived(struct hs_superblock *b, const IRStmt *s);
Bool hs_may_be_derived(const IRExpr *leaf);
IRExpr *hs_derived_base(struct hs_superblock *b, IRExpr *leaf); /* 0 if it is not, when it runs */

/* pointers.c */
void hs_check_pointers(struct hs_superblock *b, const IRStmt *s);

/* steps.c */
void hs_find_steps(struct hs_superblock *b);
void hs_check_steps(struct hs_superblock *b);
void hs_forget_steps(void);

/* free_lists.c */
void hs_find_free_lists(struct hs_superblock *b);
Bool hs_is_link(Int statement);

/* candidates.c */
Bool hs_begins_function(const struct hs_superblock *b);
void hs_look_at_entry(struct hs_superblock *b);
void hs_look_at_return(struct hs_superblock *b);
void hs_send_candidates(void);

#endif
