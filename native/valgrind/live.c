/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of live blocks: open addressing, linear probing, no tombstones. It is needed for
 * free and realloc of pointers that are nobody's, and for the snapshot at --from and at a followed
 * fork.
 */
#include "recorder.h"

static struct hs_block *slots;
static SizeT n_slots; /* a power of two */
static SizeT n_live;
static ULong births;

static SizeT home(Addr address) {
    return (address >> 4) * 0x9E3779B97F4A7C15ull >> 20 & (n_slots - 1);
}

static struct hs_block *slot_of(Addr address) {
    SizeT i = home(address);
    while (slots[i].address != 0 && slots[i].address != address)
        i = (i + 1) & (n_slots - 1);
    return &slots[i];
}

static void grow(void) {
    struct hs_block *old = slots;
    SizeT n_old = n_slots;
    n_slots = n_old ? 2 * n_old : 4096;
    slots = VG_(calloc)("hs.live", n_slots, sizeof *slots);
    for (SizeT i = 0; i < n_old; i++)
        if (old[i].address)
            *slot_of(old[i].address) = old[i];
    if (old)
        VG_(free)(old);
}

void hs_live_add(Addr address, SizeT size, UInt allocator) {
    struct hs_block *block;
    if (n_live * 2 >= n_slots)
        grow();
    block = slot_of(address);
    if (!block->address)
        n_live++;
    block->address = address;
    block->size = size;
    block->birth = births++;
    block->allocator = allocator;
}

struct hs_block *hs_live_find(Addr address) {
    struct hs_block *block;
    if (n_slots == 0 || address == 0)
        return NULL;
    block = slot_of(address);
    return block->address ? block : NULL;
}

void hs_live_remove(struct hs_block *block) {
    SizeT hole = block - slots, i = hole;
    n_live--;
    for (;;) { /* close the gap: pull back whatever may live in the hole */
        i = (i + 1) & (n_slots - 1);
        if (slots[i].address == 0)
            break;
        if (((i - home(slots[i].address)) & (n_slots - 1)) >= ((i - hole) & (n_slots - 1))) {
            slots[hole] = slots[i];
            hole = i;
        }
    }
    slots[hole].address = 0;
}

static Int by_birth(const void *a, const void *b) {
    ULong left = ((const struct hs_block *)a)->birth, right = ((const struct hs_block *)b)->birth;
    return left < right ? -1 : left > right;
}

struct hs_block *hs_live_sorted(SizeT *count) {
    struct hs_block *all = VG_(malloc)("hs.sorted", (n_live + 1) * sizeof *all);
    SizeT n = 0;
    for (SizeT i = 0; i < n_slots; i++)
        if (slots[i].address)
            all[n++] = slots[i];
    VG_(ssort)(all, n, sizeof *all, by_birth);
    *count = n;
    return all;
}
