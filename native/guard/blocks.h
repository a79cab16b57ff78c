/* Blocks: how a piece of libc's memory becomes a guarded block, and what its fences say.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HEAPSTORY_GUARD_BLOCKS_H
#define HEAPSTORY_GUARD_BLOCKS_H

#include "marks.h"
#include "sites.h"

#include <string.h>

struct header {
    uint64_t size_align, fence;
};

/* What is known of a block. */
struct block {
    char *user;
    size_t size;
    uint32_t align; /* log2, 0: ordinary */
    uint32_t site;  /* of its allocation */
    uint32_t freed; /* site of its free, if it is quarantined */
};

static inline uint64_t fences_of(const void *user, uint64_t size_align, uint32_t site) {
    uint64_t h =
        ((uintptr_t)user ^ size_align << 17 ^ (uint64_t)site << 40) + 0x2545f4914f6cdd1dull;
    h *= 0x9e3779b97f4a7c15ull;
    return h ^ h >> 29;
}

static inline uint64_t fence_before(uint64_t fences, uint32_t site) {
    return FENCE_TOP | (uint64_t)site << 32 | (fences & 0xffffff) << 8 | FENCE_LOW;
}

static inline uint64_t fence_behind(uint64_t fences, uint32_t site) {
    return FENCE_TOP | (uint64_t)site << 32 | (fences >> 16 & 0xffffff00) | FENCE_LOW;
}

static inline struct header *header_of(const void *user) {
    return (struct header *)((char *)user - sizeof(struct header));
}

static inline uint32_t fence_site(uint64_t fence) {
    return fence >> 32 & 0xffff;
}

static inline char *base_of(const struct block *block) {
    return block->user - (block->align ? (size_t)1 << block->align : HEADER);
}

static inline uint64_t load64(const void *at) {
    uint64_t value;
    memcpy(&value, at, 8);
    return value;
}

static inline void store64(void *at, uint64_t value) {
    memcpy(at, &value, 8);
}

/* Puts fences around a new block. */
static inline void dress(char *user, size_t size, uint32_t align, uint32_t site) {
    uint64_t size_align = size | (uint64_t)align << 48;
    uint64_t fences = fences_of(user, size_align, site);
    *header_of(user) = (struct header){size_align, fence_before(fences, site)};
    store64(user + size, fence_behind(fences, site));
}

/* Fills in what the fences of a live block say; false if either is broken. Only the slow ways look
 * any further (block_recover). */
static inline bool undress(char *user, struct block *block) {
    struct header header = *header_of(user);
    uint32_t site = fence_site(header.fence);
    uint64_t fences = fences_of(user, header.size_align, site);
    *block = (struct block){user, header.size_align & 0xffffffffffffull,
                            (uint32_t)(header.size_align >> 48), site, 0};
    return likely(header.fence == fence_before(fences, site)) &&
           likely(load64(user + block->size) == fence_behind(fences, site));
}

/* How a live block's fences are broken. */
struct damage {
    bool known;    /* the block could be told from the other fence */
    int64_t first; /* first and last changed byte, relative to the block's start */
    int64_t last;
    uint8_t bytes[24]; /* what stands there now, from `first` on */
    uint32_t count;
};
void block_recover(char *user, struct block *block, struct damage *damage);
/* Puts the fences of a known block right again, so that it is reported once. */
void block_repair(const struct block *block);

/* While a block is quarantined its trailer holds the site of its free. */
static inline void block_retire(const struct block *block, uint32_t site) {
    store64(block->user + block->size, FENCE_TOP | (uint64_t)site << 32 | FENCE_LOW);
}
static inline uint32_t block_retired(const struct block *block) {
    return fence_site(load64(block->user + block->size));
}

#endif
