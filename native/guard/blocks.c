/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "blocks.h"
#include "kernel.h"

uint16_t scans_begun;

#define SLACK 64 /* libc gives at most this much more than was asked for */

/* The header is broken: finds the trailer, whose distance from the end of libc's piece is small. */
static bool from_trailer(char *user, struct block *block) {
    for (uint32_t align = 0; align <= 12; align = align ? align + 1 : 5) {
        char *base = user - (align ? (size_t)1 << align : HEADER);
        uint64_t room; /* glibc's own size of the piece, with three flags */
        if (!kernel_read_memory(&room, base - 8, sizeof room))
            continue;
        room &= ~(uint64_t)7;
        if (room < 32 || room > MOST_BYTES ||
            (align && (uintptr_t)user & (((uintptr_t)1 << align) - 1)))
            continue;
        char *end = base + room + 8;
        for (char *at = end - TRAILER; at >= user && at > end - TRAILER - SLACK; at--) {
            uint64_t trailer;
            if (!kernel_read_memory(&trailer, at, sizeof trailer))
                continue;
            uint32_t site = fence_site(trailer);
            uint64_t what = (uint64_t)(at - user) | (uint64_t)align << SIZE_BITS;
            if (trailer == fence_of(user, what, site)) {
                *block = block_of(user, what, site);
                return true;
            }
        }
    }
    return false;
}

static void compare(const void *found, uint64_t expected, int64_t offset, struct damage *damage) {
    const uint8_t *bytes = found;
    for (int i = 0; i < 8; i++) {
        if (bytes[i] == (uint8_t)(expected >> 8 * i))
            continue;
        if (!damage->count)
            damage->first = offset + i;
        damage->last = offset + i;
        damage->count = 1;
    }
}

void block_recover(char *user, struct block *block, struct damage *damage) {
    *damage = (struct damage){0};
    struct header header = *header_of(user);
    damage->known = undress_header(user, block) || from_trailer(user, block);
    if (!damage->known) {
        *block = (struct block){.user = user};
        damage->first = -(int64_t)sizeof header, damage->last = -1;
        damage->count = sizeof header;
        memcpy(damage->bytes, user - sizeof header, sizeof header);
        return;
    }
    uint64_t what = block->size | (uint64_t)block->align << SIZE_BITS;
    uint64_t fence = fence_of(user, what, block->site);
    compare(user - 16, what | (header.what & ~WHAT_MASK), -16, damage);
    compare(user - 8, fence, -8, damage);
    if (block->align != ALIGN_PAGED)
        compare(user + block->size, fence, (int64_t)block->size, damage);
    int64_t count = damage->last - damage->first + 1;
    damage->count = count > (int64_t)sizeof damage->bytes ? sizeof damage->bytes : (uint32_t)count;
    memcpy(damage->bytes, user + damage->first, damage->count);
}

void block_repair(const struct block *block) {
    if (block->align != ALIGN_PAGED)
        dress(block->user, block->size, block->align, block->site);
}
