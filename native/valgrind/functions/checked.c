/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The blocks of a checked program.
 *
 *     block                        block + size            next block
 *     | the program's bytes ...    | redzone, padding ...  | ...
 *
 * All but the program's bytes is unaddressable: the redzone behind a block is the one before its
 * neighbour. A freed block waits, unaddressable, in a queue until newer ones have filled it; only
 * then may its memory be given out again. Which block a bad address is about can be told as long as
 * the block's word (live.c) stands.
 */
#include "functions/functions.h"
#include "shared/addressable.h"
#include "shared/options.h"
#include "shared/syscalls.h"

#define BEFORE 16              /* blocks.c leaves so many bytes before the first block of a piece */
#define FAR_BELOW (1ul << 30)  /* as far as a block is looked for */
#define BY_KERNEL (1ul << 18)  /* bytes that the kernel clears sooner than we do */
#define DO_NOT_NEED 4          /* MADV_DONTNEED */
#define FAR_BEHIND (1ul << 12) /* from the end of a block, what is still about it */

/* Freed blocks, oldest first, in a circle. */
static struct {
    Addr *block;
    UInt first, count, room;
    SizeT bytes;
} held;

Addr hs_checked_get(SizeT size, SizeT alignment, UInt *class) {
    SizeT redzone = hs_custom_has_redzone() ? 0 : hs_options.redzone;
    Addr block = hs_block_get(size + redzone, alignment, class);
    if (!block)
        return 0;
    hs_make_unaddressable(block - BEFORE, BEFORE);
    hs_make_addressable(block, size);
    hs_make_unaddressable(block + size, hs_block_usable(block, *class) - size);
    return block;
}

/* Nobody knows which words of its next use were set: pointers of this one must not be there. */
static void clear(Addr block, SizeT size) {
    Addr from = VG_PGROUNDUP(block), to = VG_PGROUNDDN(block + size);
    if (size < BY_KERNEL || hs_syscall(__NR_madvise, from, to - from, DO_NOT_NEED, 0, 0, 0)) {
        hs_set((void *)block, 0, size);
        return;
    }
    hs_set((void *)block, 0, from - block);
    hs_set((void *)to, 0, block + size - to);
}

static void give_back(Addr block) {
    ULong *freed = hs_freed_find(block);
    SizeT size = hs_live_size(*freed);
    held.bytes -= size + hs_options.redzone;
    /* What the program has protected from itself stays out of use. */
    if (VG_(am_is_valid_for_client)(block, size, VKI_PROT_READ | VKI_PROT_WRITE)) {
        if (!hs_states) { /* there it stays so until it is given out again, or mapped */
            hs_make_addressable(block, hs_block_usable(block, hs_live_class(*freed)));
            clear(block, size);
        }
        hs_block_put(block, hs_live_class(*freed));
    }
    hs_live_remove(freed);
}

static void grow(void) {
    UInt room = held.room ? 2 * held.room : 1024;
    Addr *block = VG_(malloc)("hs.held", room * sizeof *block);
    for (UInt i = 0; i < held.count; i++)
        block[i] = held.block[(held.first + i) % held.room];
    VG_(free)(held.block);
    held.block = block;
    held.room = room;
    held.first = 0;
}

void hs_checked_put(Addr block, ULong *live) {
    SizeT size = hs_live_size(*live);
    hs_make_unaddressable(block, size);
    *live |= HS_FREED;
    if (held.count == held.room)
        grow();
    held.block[(held.first + held.count++) % held.room] = block;
    held.bytes += size + hs_options.redzone;
    while (held.count && held.bytes > (SizeT)hs_options.delay) {
        Addr oldest = held.block[held.first];
        held.first = (held.first + 1) % held.room;
        held.count--;
        give_back(oldest);
    }
}

SizeT hs_meant_size(Addr block) {
    const ULong *live = hs_live_find(block), *word = live ? live : hs_freed_find(block);
    return word ? hs_live_size(*word) : hs_custom_size(block);
}

Addr hs_block_meant(Addr address) {
    Addr custom = hs_custom_meant(address), below = hs_block_below(address, FAR_BELOW);
    Addr above = hs_block_above(address, hs_options.redzone);
    Addr end = below ? below + hs_meant_size(below) : 0;
    if (custom)
        return custom;
    if (below && (address < end || !above || address - end <= above - address))
        return address < end || address - end < FAR_BEHIND ? below : 0;
    return above;
}
