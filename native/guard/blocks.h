/* Blocks: how a piece of libc's memory becomes a guarded block, and what its fences say.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HEAPSTORY_GUARD_BLOCKS_H
#define HEAPSTORY_GUARD_BLOCKS_H

#include "marks.h"
#include "sites.h"

#include <string.h>

#define SIZE_BITS 42
#define ALIGN_PAGED 63 /* in place of an alignment: the block has pages of its own (paged.h) */
#define WHAT_BITS 48   /* size and alignment: what the tags depend on */
#define WHAT_MASK (((uint64_t)1 << WHAT_BITS) - 1)

struct header {
    uint64_t what, fence;
};

/* What is known of a block. */
struct block {
    char *user;
    size_t size;
    uint32_t align; /* log2, 0: ordinary */
    uint32_t site;  /* of its allocation */
    uint32_t other; /* site of its free if it is quarantined, else the scans before it was made */
};

extern uint16_t scans_begun; /* modulo 65,536 */

/* The fence on both sides of a block. No multiplication: this is made for every allocation. */
static inline uint64_t fence_of(const void *user, uint64_t what, uint32_t site) {
    uint64_t tag = ((uintptr_t)user >> 4) ^ what ^ (what & WHAT_MASK) >> 24;
    return FENCE_TOP | (uint64_t)site << 32 | (tag & 0xffffff) << 8 | FENCE_LOW;
}

/* The same of a small ordinary block, without its site. */
static inline uint64_t small_fence(const char *user, uint64_t size) {
    return FENCE_TOP | ((((uintptr_t)user >> 4) ^ size) & 0xffffff) << 8 | FENCE_LOW;
}
#define SITE_MASK ((uint64_t)0xffff << 32)

static inline struct header *header_of(const void *user) {
    return (struct header *)((char *)user - sizeof(struct header));
}

static inline uint32_t fence_site(uint64_t fence) {
    return fence >> 32 & 0xffff;
}

static inline size_t size_of(uint64_t what) {
    return what & (((uint64_t)1 << SIZE_BITS) - 1);
}

static inline struct block block_of(char *user, uint64_t what, uint32_t site) {
    return (struct block){user, size_of(what), (uint32_t)(what >> SIZE_BITS) & 63, site,
                          (uint32_t)(what >> WHAT_BITS)};
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
    uint64_t what = size | (uint64_t)align << SIZE_BITS;
    uint64_t fence = fence_of(user, what, site);
    *header_of(user) = (struct header){what | (uint64_t)scans_begun << WHAT_BITS, fence};
    store64(user + size, fence);
}

static inline void dress_small(char *user, size_t size, uint32_t site) {
    uint64_t fence = small_fence(user, size) | (uint64_t)site << 32;
    *header_of(user) = (struct header){size | (uint64_t)scans_begun << WHAT_BITS, fence};
    store64(user + size, fence);
}

/* Fills in what the header of a block says; false if it is broken. A block that is quarantined has
 * no fence behind it any more. */
static inline bool undress_header(char *user, struct block *block) {
    struct header header = *header_of(user);
    uint32_t site = fence_site(header.fence);
    *block = block_of(user, header.what, site);
    return likely(header.fence == fence_of(user, header.what, site));
}

/* The same of a live block; false if either fence is broken. Only the slow ways look any further
 * (block_recover). */
static inline bool undress(char *user, struct block *block) {
    return undress_header(user, block) &&
           (unlikely(block->align == ALIGN_PAGED) ||
            likely(load64(user + block->size) == header_of(user)->fence));
}

/* Whether a live block was made when so many scans had begun. */
static inline bool made_since(const struct block *block, uint16_t scans) {
    return (uint16_t)(block->other - scans) < 0x8000;
}

/* From now on the header holds the site of the free. */
static inline void retire(char *user, uint32_t site) {
    struct header *header = header_of(user);
    header->what = (header->what & WHAT_MASK) | (uint64_t)site << WHAT_BITS;
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

#endif
