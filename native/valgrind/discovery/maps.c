/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "discovery/pass.h"

/* The number of the word an address lies in; anything becomes a place in the maps. */
static IRExpr *word_of(struct hs_superblock *b, IRExpr *address) {
    IRExpr *low = hs_shift(b, Iop_Shl64, address, 64 - HS_HEAP_BITS);
    return hs_shift(b, Iop_Shr64, low, 64 - HS_HEAP_BITS + 3);
}

IRExpr *hs_map_byte(struct hs_superblock *b, IRExpr *map, IRExpr *address) {
    return hs_load_byte(b, hs_binop(b, Iop_Add64, map, word_of(b, address)));
}

IRExpr *hs_owner_at(struct hs_superblock *b, IRExpr *address) {
    IRExpr *offset = hs_shift(b, Iop_Shl64, word_of(b, address), 2);
    IRExpr *place = hs_binop(b, Iop_Add64, hs_get_shadow(b, HS_SHADOW_OWNER), offset);
    return hs_temp(b, Ity_I32, IRExpr_Load(Iend_LE, Ity_I32, place));
}
