/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lost.h"

/* By site: the first of its blocks and the scan that called one lost first. */
static struct {
    uintptr_t address;
    size_t size;
    uint16_t since;
} firsts[SITES];

struct collecting {
    const struct losses *before;
    struct losses *now;
    struct judging judging;
    struct tally *tally;
};

static const struct lost *find(const struct losses *all, uintptr_t address) {
    uint32_t low = 0, high = all->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (all->all[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < all->count && all->all[low].address == address ? &all->all[low] : NULL;
}

static bool is_same(const struct lost *one, const struct lost *other) {
    return one && other && one->fence == other->fence && one->made == other->made;
}

static void count_site(const struct block *block, uint16_t since) {
    struct site *site = &sites[block->site];
    if (!site->blocks++) {
        firsts[block->site].address = (uintptr_t)block->user;
        firsts[block->site].size = block->size;
        firsts[block->site].since = since;
    }
    site->bytes += block->size;
    if ((uint16_t)(firsts[block->site].since - since) < 0x8000)
        firsts[block->site].since = since;
}

static void collect(uintptr_t address, uint8_t mark, void *data) {
    const struct collecting *to = data;
    struct block block;
    if (!is_live((uint8_t)scan_kind(mark)))
        return;
    to->tally->blocks++;
    if (mark & (SCAN_REACHED | SCAN_INDIRECT) || !undress((char *)address, &block) ||
        !(to->judging.all || made_since(&block, to->judging.since)))
        return;
    struct lost now = {address, header_of(block.user)->fence, (uint16_t)block.other,
                       to->judging.scan, false};
    const struct lost *old = find(to->before, address);
    if (!is_same(old, &now))
        old = NULL;
    bool before = old && old->called;
    if (before)
        now.since = old->since;
    bool called = now.called = to->judging.certain || before;
    if (to->now->count < MOST_LOST)
        to->now->all[to->now->count++] = now;
    if (called) {
        to->tally->lost++;
        count_site(&block, now.since);
    } else {
        to->tally->suspected++;
    }
}

void lost_collect(const struct losses *before, struct losses *now, struct judging judging,
                  struct tally *tally) {
    now->count = 0;
    *tally = (struct tally){0};
    for (uint32_t site = 0; site < site_count(); site++)
        sites[site].blocks = sites[site].bytes = 0;
    struct collecting to = {before, now, judging, tally};
    marks_walk(collect, &to);
    for (uint32_t i = 0; i < before->count; i++) {
        const struct lost *old = &before->all[i];
        tally->withdrawn += old->called && !is_same(find(now, old->address), old);
    }
}

void lost_write(struct lines *lines) {
    for (uint32_t site = 0; site < site_count(); site++) {
        if (!sites[site].blocks)
            continue;
        put_text(lines, "L");
        put_hex(lines, site);
        put_hex(lines, sites[site].blocks);
        put_hex(lines, sites[site].bytes);
        put_hex(lines, firsts[site].address);
        put_hex(lines, firsts[site].size);
        put_hex(lines, firsts[site].since);
        put_site(lines, site);
        put_end(lines);
    }
}
