/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mode internals: a pointer that is stored into recorded memory must be the head of its cluster;
 * else the node is split there (clusters.c). It stands before the record of the store.
 */
#include "discovery/pass.h"

static void check_pointer(struct hs_superblock *b, const struct hs_word *word, IRExpr *guard) {
    IRExpr *heads, *both;
    if (word->size != 8 || word->value->tag != Iex_RdTmp)
        return;
    heads = hs_map_byte(b, hs_get_shadow(b, HS_SHADOW_HEADS), word->value);
    both = hs_binop(b, Iop_And64, heads, hs_page_byte(b, word->address, guard));
    hs_call_if(b, hs_test(b, Iop_CmpNE64, both, hs_const(0)), "hs_pointer_stored",
               hs_pointer_stored, mkIRExprVec_3(word->address, word->value, hs_const(word->site)));
}

void hs_check_pointers(struct hs_superblock *b, const IRStmt *s) {
    struct hs_stored stored;
    if (hs_mode != HSW_INTERNALS || !hs_is_store(b, s))
        return;
    stored = hs_words_stored(b, s);
    for (UInt i = 0; i < stored.n; i++)
        check_pointer(b, &stored.word[i], stored.guard);
}
