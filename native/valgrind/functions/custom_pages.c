/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory of the program's own allocators outside of malloc's: variables and mappings. Its pages are
 * recorded for the sake of the blocks in them. What lies between these blocks is the program's, and
 * may hold the only pointers to others.
 */
#include "functions/functions.h"
#include "pub_tool_hashtable.h"
#include "shared/pages.h"

static VgHashTable *pages; /* key: the page's number */
static XArray *alive;      /* blocks in them by address, as of the last sorting */

Bool hs_custom_page(Addr address) {
    return pages && VG_(HT_lookup)(pages, address >> HS_PAGE_BITS);
}

void hs_custom_pages_on(Addr start, SizeT length) {
    Addr end = (start + length + (1u << HS_PAGE_BITS) - 1) >> HS_PAGE_BITS;
    for (Addr page = start >> HS_PAGE_BITS; page < end; page++)
        if (!hs_page_is_on(page << HS_PAGE_BITS)) {
            VgHashNode *node = VG_(malloc)("hs.custom.page", sizeof *node);
            if (!pages)
                pages = VG_(HT_construct)("hs.custom.pages");
            node->key = page;
            VG_(HT_add_node)(pages, node);
        }
    hs_pages_on(start, length);
}

static Int by_address(const void *a, const void *b) {
    Addr left = ((const struct hs_block *)a)->address,
         right = ((const struct hs_block *)b)->address;
    return left < right ? -1 : left > right;
}

void hs_custom_sort(void) {
    if (!pages)
        return;
    if (alive)
        VG_(deleteXA)(alive);
    alive = VG_(newXA)(VG_(malloc), "hs.custom.alive", VG_(free), sizeof(struct hs_block));
    hs_custom_blocks(alive);
    VG_(setCmpFnXA)(alive, by_address);
    VG_(sortXA)(alive);
}

Addr hs_custom_from(Addr address, Addr *end) {
    Word low = 0, high = alive ? VG_(sizeXA)(alive) : 0;
    const struct hs_block *found;
    Word all = high;
    while (low < high) { /* blocks of one allocator do not overlap: their ends are in order, too */
        Word middle = (low + high) / 2;
        found = VG_(indexXA)(alive, middle);
        if (found->address + found->size <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == all)
        return 0;
    found = VG_(indexXA)(alive, low);
    *end = found->address + found->size;
    return found->address;
}

void hs_custom_visit(void (*visit)(Addr block, SizeT size, Bool readable)) {
    hs_custom_sort();
    for (Word i = 0; alive && i < VG_(sizeXA)(alive); i++) {
        const struct hs_block *block = VG_(indexXA)(alive, i);
        if (hs_custom_page(block->address))
            visit(block->address, block->size, False);
    }
}
