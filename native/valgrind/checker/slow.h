/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of slow code share. */
#ifndef HEAPSTORY_CHECKER_SLOW_H
#define HEAPSTORY_CHECKER_SLOW_H

#include "checker/bits.h"
#include "checker/values.h"

/* What is known of a value while its superblock is translated; NULL: all of it is defined. */
struct hs_value {
    IRExpr *undefined; /* bits */
    IRExpr *origin;    /* an I64; means something where there are bits */
};
#define HS_NO_VALUE ((struct hs_value){NULL, NULL})

/* slow_values.c */
void hs_values_begin(struct hs_superblock *b);
void hs_values_end(void);
ULong hs_groups_written(void); /* of registers, since the superblock began */

IRType hs_type_of(struct hs_superblock *b, const IRExpr *e);
IRExpr *hs_always(void); /* a guard */
struct hs_value hs_value_of(const IRExpr *atom);
void hs_set_value(IRTemp temp, struct hs_value value);
/* The origin of the first that has undefined bits. */
IRExpr *hs_origin_of_both(struct hs_superblock *b, IRType type, struct hs_value x,
                          struct hs_value y);

/* Something depends on the value: tells it, if it is undefined. */
void hs_tell_value(struct hs_superblock *b, UInt kind, IRType type, struct hs_value value);
void hs_check_atom(struct hs_superblock *b, UInt kind, const IRExpr *atom);

/* What C code answers, 0 where the guard does not hold. */
IRExpr *hs_call_for(struct hs_superblock *b, IRExpr *guard, const HChar *name, void *function,
                    IRExpr **arguments);
struct hs_value hs_value_loaded(struct hs_superblock *b, IRExpr *address, IRType type,
                                IRExpr *guard, Bool is_swap);
/* The states change before the store, if it happens; it is checked. */
void hs_store_value(struct hs_superblock *b, IRExpr *address, IRType type, struct hs_value value,
                    IRExpr *guard);
/* The same of one that was checked. */
void hs_store_value_if(struct hs_superblock *b, IRExpr *address, IRType type, struct hs_value value,
                       IRExpr *guard);

struct hs_value hs_get_value(struct hs_superblock *b, Int offset, IRType type);
void hs_put_value(struct hs_superblock *b, Int offset, IRType type, struct hs_value value);
struct hs_value hs_get_indexed(struct hs_superblock *b, const IRExpr *e);
void hs_put_indexed(struct hs_superblock *b, const IRPutI *details);

/* slow_helpers.c */
void hs_before_helper(struct hs_superblock *b, const IRDirty *details);
void hs_after_helper(struct hs_superblock *b, const IRDirty *details);

#endif
