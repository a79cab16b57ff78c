/* Blocks that are called lost, over several scans.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where not all threads are known to have stood still, a block that was not found is suspected
 * only: a register may refer to it. One that was called lost and is found or freed later was our
 * error: it is withdrawn, and counted. */
#ifndef HEAPSTORY_GUARD_LOST_H
#define HEAPSTORY_GUARD_LOST_H

#include "heap.h"
#include "output.h"

#define MOST_LOST 65536

struct lost {
    uintptr_t address;
    uint64_t fence; /* with `made` it tells the block from another one at the same address */
    uint16_t made, since;
    bool called;
};

/* In order of address. */
struct losses {
    uint32_t count;
    struct lost all[MOST_LOST];
};

/* What a scan has found. */
struct tally {
    uint64_t blocks, lost, suspected, withdrawn;
};

/* A scan of the blocks that were made since another one, or of all. */
struct judging {
    uint16_t scan;
    bool certain;
    bool all;
    uint16_t since;
};

/* After `reach`: compares with the scan before (empty: there was none) and fills `now`. */
void lost_collect(const struct losses *before, struct losses *now, struct judging judging,
                  struct tally *tally);
/* The sites of those that are called lost. */
void lost_write(struct lines *lines);

#endif
