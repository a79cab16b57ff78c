/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live.h"
#include "findings.h"
#include "modules.h"
#include "quarantine.h"

#define MOST_BLOCKS 5000 /* listed one by one; sites are listed all */

static void check_one(uintptr_t address, uint8_t mark, void *data) {
    (void)data;
    struct block block;
    char *user = (char *)address;
    if (mark == MARK_QUARANTINE) {
        quarantine_check(user);
    } else if (is_live(mark) && !undress(user, &block)) {
        finding_broken_fence(user, 0, &block);
        if (block.site)
            block_repair(&block);
    }
}

void live_check(void) {
    marks_walk(check_one, NULL);
}

static void sum_one(uintptr_t address, uint8_t mark, void *data) {
    (void)data;
    struct block block;
    if (is_live(mark) && undress((char *)address, &block)) {
        sites[block.site].blocks++;
        sites[block.site].bytes += block.size;
    }
}

struct listing {
    struct lines *lines;
    uint32_t blocks;
};

static void list_one(uintptr_t address, uint8_t mark, void *data) {
    struct listing *listing = data;
    struct block block;
    if (!is_live(mark) || listing->blocks >= MOST_BLOCKS || !undress((char *)address, &block))
        return;
    listing->blocks++;
    put_text(listing->lines, "B");
    put_hex(listing->lines, block.site);
    put_hex(listing->lines, address);
    put_hex(listing->lines, block.size);
    put_end(listing->lines);
}

void live_write(struct lines *lines) {
    for (uint32_t site = 0; site < SITES; site++)
        if (sites[site].key)
            sites[site].blocks = sites[site].bytes = 0;
    marks_walk(sum_one, NULL);
    modules_write(lines);
    for (uint32_t site = 0; site < SITES; site++) {
        if (!sites[site].blocks)
            continue;
        put_text(lines, "S");
        put_hex(lines, site);
        put_hex(lines, sites[site].blocks);
        put_hex(lines, sites[site].bytes);
        put_site(lines, site);
        put_end(lines);
    }
    struct listing listing = {lines, 0};
    marks_walk(list_one, &listing);
}
