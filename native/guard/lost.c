/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lost.h"

#define PROBES 64

/* By site: the first of its blocks and the scan that called one lost first. */
static struct {
    uintptr_t address;
    size_t size;
    uint16_t since;
} firsts[SITES];

struct collecting {
    const struct losses *before;
    struct losses *now;
    uint16_t scan;
    bool certain;
    struct tally *tally;
};

static size_t slot_of(uintptr_t address, size_t probe) {
    return ((address * 0x9e3779b97f4a7c15ull >> 44) + probe) % LOST_SLOTS;
}

static struct lost *find(const struct losses *all, uintptr_t address, bool or_free) {
    for (size_t probe = 0; probe < PROBES; probe++) {
        const struct lost *each = &all->all[slot_of(address, probe)];
        if (each->address == address || (or_free && !each->address))
            return (struct lost *)each;
    }
    return NULL;
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
    if (mark & (SCAN_REACHED | SCAN_INDIRECT) || !undress((char *)address, &block))
        return;
    uint64_t fence = header_of(block.user)->fence;
    struct lost *old = find(to->before, address, false);
    if (old && (old->fence != fence || old->made != block.other))
        old = NULL;
    uint16_t since = old && old->called ? old->since : to->scan;
    bool called = to->certain || old;
    struct lost *kept = find(to->now, address, true);
    if (kept)
        *kept = (struct lost){address, fence, (uint16_t)block.other, since, called};
    if (called) {
        to->tally->lost++;
        count_site(&block, since);
    } else {
        to->tally->suspected++;
    }
}

void lost_collect(const struct losses *before, struct losses *now, uint16_t scan, bool certain,
                  struct tally *tally) {
    memset(now, 0, sizeof *now);
    *tally = (struct tally){0};
    for (uint32_t i = 0; i < site_count(); i++)
        sites[site_numbers[i]].blocks = sites[site_numbers[i]].bytes = 0;
    struct collecting to = {before, now, scan, certain, tally};
    marks_walk(collect, &to);
    for (size_t i = 0; i < LOST_SLOTS; i++) {
        const struct lost *old = &before->all[i];
        const struct lost *again = old->called ? find(now, old->address, false) : NULL;
        bool same = again && again->fence == old->fence && again->made == old->made;
        tally->withdrawn += old->called && !same;
    }
}

void lost_write(struct lines *lines) {
    for (uint32_t i = 0; i < site_count(); i++) {
        uint32_t site = site_numbers[i];
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
