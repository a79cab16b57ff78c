/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live.h"
#include "findings.h"
#include "modules.h"
#include "quarantine.h"

#define MOST_BLOCKS 5000 /* listed one by one; sites are listed all */

struct listing {
    struct lines *lines;
    uint32_t blocks;
    uint16_t since;
    uint64_t made_since;
};

static void list(const struct block *block, struct listing *listing) {
    sites[block->site].blocks++;
    sites[block->site].bytes += block->size;
    if (listing->blocks++ >= MOST_BLOCKS)
        return;
    put_text(listing->lines, "B");
    put_hex(listing->lines, block->site);
    put_hex(listing->lines, (uintptr_t)block->user);
    put_hex(listing->lines, block->size);
    put_end(listing->lines);
}

static void look_at(uintptr_t address, uint8_t mark, void *data) {
    struct listing *listing = data;
    struct block block;
    char *user = (char *)address;
    if (mark == MARK_QUARANTINE) {
        quarantine_check_held(user);
        return;
    }
    if (!is_live(mark))
        return;
    if (unlikely(!undress(user, &block))) {
        finding_broken_fence(user, 0, &block);
        if (block.site)
            block_repair(&block);
    }
    listing->made_since += made_since(&block, listing->since);
    if (listing->lines && (block.size || block.site))
        list(&block, listing);
}

uint64_t live_look_over(struct lines *lines, uint16_t since) {
    struct listing listing = {settings.live ? lines : NULL, 0, since, 0};
    for (uint32_t site = 0; site < site_count(); site++)
        sites[site].blocks = sites[site].bytes = 0;
    if (settings.live)
        modules_write(lines);
    marks_walk(look_at, &listing);
    for (uint32_t site = 0; site < site_count(); site++) {
        if (!sites[site].blocks)
            continue;
        put_text(lines, "S");
        put_hex(lines, site);
        put_hex(lines, sites[site].blocks);
        put_hex(lines, sites[site].bytes);
        put_site(lines, site);
        put_end(lines);
    }
    return listing.made_since;
}
