/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks by what they are: the same code with the same accesses, translated again, is the same
 * block.
 */
#include "stream/stream.h"

#include "pub_tool_hashtable.h"
#include "shared/ring.h"

struct block {
    struct block *next;
    UWord key; /* of its description */
    UInt id;
};

static VgHashTable *blocks;
static UInt n_blocks;
static UChar payload[HS_PAYLOAD_MAX];

static ULong mixed(ULong key, const UChar *bytes, SizeT length) {
    for (SizeT i = 0; i < length; i++)
        key = (key ^ bytes[i]) * 0x100000001b3ull;
    return key ^ key >> 29;
}

static SizeT put(SizeT at, const void *bytes, SizeT length) {
    if (at + length <= sizeof payload)
        VG_(memcpy)(payload + at, bytes, length);
    return at + length;
}

/* The block as it is sent; returns how many bytes, more than there is room for where it is too
 * long. */
static SizeT fill_payload(const struct hs_superblock *b, const struct hs_description *d) {
    static const UChar zeros[8];
    SizeT at = put(0, &d->block, sizeof d->block);
    at = put(at, (const void *)b->start, d->block.code);
    at = put(at, zeros, -at & 7);
    for (UInt i = 0; i < d->n_accesses; i++)
        at = put(at, &d->accesses[i].wire, sizeof d->accesses[i].wire);
    return put(at, d->exits, d->n_exits * sizeof *d->exits);
}

UInt hs_block_id(const struct hs_superblock *b, const struct hs_description *d) {
    SizeT length = fill_payload(b, d);
    UWord key;
    struct block *found;
    if (length > sizeof payload)
        return 0;
    if (!blocks)
        blocks = VG_(HT_construct)("hs.blocks");
    key = mixed(0xcbf29ce484222325ull, payload, length);
    found = VG_(HT_lookup)(blocks, key);
    if (!found) {
        found = VG_(malloc)("hs.block", sizeof *found);
        found->key = key;
        found->id = ++n_blocks;
        VG_(HT_add_node)(blocks, found);
        hs_append_payload(HSW_WORD(HSW_BLOCK, found->id), length, payload, length, 0);
    }
    return found->id;
}

void hs_blocks_forget(void) {
    if (blocks)
        VG_(HT_destruct)(blocks, VG_(free));
    blocks = NULL;
    n_blocks = 0;
}
