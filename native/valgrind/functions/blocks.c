/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory for the program's blocks. All that is known of it is kept elsewhere: a program that writes
 * beyond its blocks spoils other blocks, as it would without us, but nothing that the tool relies
 * on.
 *
 * A small block is a slot of one of some sizes, taken from a large piece of memory; a slot that
 * comes back waits for the next block of its size, the last one first. Large blocks, and those of
 * unusual alignment, are placed one by one; around large ones lies a page that nobody uses. Pieces
 * and large blocks come from Valgrind's client arena.
 */
#include "functions/functions.h"
#include "pub_tool_hashtable.h"

#include "shared/addressable.h"

#define MIN_ALIGNMENT 16
#define GAP 16 /* behind every block, nobody's */
#define MARGIN VKI_PAGE_SIZE
#define PIECE (1u << 20)

/* Sizes of slots: multiples of 16 up to 512, then four for each power of two. */
#define FINE 32
#define CLASSES 61
#define LARGEST_SLOT 65536u

static UInt class_of(SizeT slot) {
    UInt power = 9;
    if (slot <= 512)
        return (slot + 15) / 16;
    while (slot > (SizeT)2 << power)
        power++;
    return FINE + 1 + (power - 9) * 4 + ((slot - 1) >> (power - 2)) - 4;
}

static SizeT slot_of(UInt class) {
    UInt above = class - FINE - 1;
    return class <= FINE ? (SizeT) class * 16 : (SizeT)(5 + above % 4) << (7 + above / 4);
}

/* ---- slots ---- */

static struct {
    Addr *free;
    SizeT n, room;
} waiting[CLASSES];

static Addr piece_next, piece_end;

static Addr cut_slot(SizeT size) {
    if (piece_end - piece_next < size) {
        Addr piece = (Addr)VG_(cli_malloc)(VKI_PAGE_SIZE, PIECE + 2 * MARGIN);
        if (!piece)
            return 0;
        if (hs_checking())
            hs_make_unaddressable(piece, PIECE + 2 * MARGIN);
        piece_next = piece + MARGIN;
        piece_end = piece_next + PIECE;
    }
    piece_next += size;
    return piece_next - size;
}

static Addr take_slot(UInt class) {
    if (waiting[class].n)
        return waiting[class].free[--waiting[class].n];
    return cut_slot(slot_of(class));
}

static void give_slot(Addr slot, UInt class) {
    if (waiting[class].n == waiting[class].room) {
        waiting[class].room = waiting[class].room ? 2 * waiting[class].room : 64;
        waiting[class].free = VG_(realloc)("hs.slots", waiting[class].free,
                                           waiting[class].room * sizeof *waiting[class].free);
    }
    waiting[class].free[waiting[class].n++] = slot;
}

/* ---- blocks that are placed one by one ---- */

struct placed {
    struct _VgHashNode node; /* key: the block */
    Addr from;               /* of the slot, or of the arena's */
    UInt class;              /* of the slot; 0: it is the arena's */
    SizeT usable;
};
static VgHashTable *placed_blocks;

static Addr place(SizeT size, SizeT alignment) {
    Bool is_slot = alignment < LARGEST_SLOT && size + alignment + GAP <= LARGEST_SLOT;
    SizeT margin = alignment > MARGIN ? alignment : MARGIN;
    struct placed *placed;
    Addr from, block;
    UInt class = is_slot ? class_of(size + alignment + GAP) : 0;
    from = is_slot ? take_slot(class) : (Addr)VG_(cli_malloc)(margin, size + 2 * margin);
    if (!from)
        return 0;
    if (hs_checking() && !is_slot)
        hs_make_unaddressable(from, size + 2 * margin);
    block = is_slot ? VG_ROUNDUP(from, alignment) : from + margin;
    placed = VG_(malloc)("hs.placed", sizeof *placed);
    placed->node.key = block;
    placed->from = from;
    placed->class = class;
    placed->usable = is_slot ? from + slot_of(class) - GAP - block : size;
    if (!placed_blocks)
        placed_blocks = VG_(HT_construct)("hs.placed");
    VG_(HT_add_node)(placed_blocks, placed);
    return block;
}

static void give_placed(Addr block) {
    struct placed *placed = VG_(HT_remove)(placed_blocks, block);
    if (placed->class)
        give_slot(placed->from, placed->class);
    else
        VG_(cli_free)((void *)placed->from);
    VG_(free)(placed);
}

/* ---- for allocations.c ---- */

Addr hs_block_get(SizeT size, SizeT alignment, UInt *class) {
    Bool is_placed = alignment > MIN_ALIGNMENT || size > LARGEST_SLOT - GAP;
    *class = is_placed ? 0 : class_of(size + GAP);
    return is_placed ? place(size, alignment < MIN_ALIGNMENT ? MIN_ALIGNMENT : alignment)
                     : take_slot(*class);
}

void hs_block_put(Addr block, UInt class) {
    if (class)
        give_slot(block, class);
    else
        give_placed(block);
}

SizeT hs_block_usable(Addr block, UInt class) {
    const struct placed *placed;
    if (class)
        return slot_of(class) - GAP;
    placed = VG_(HT_lookup)(placed_blocks, block);
    return placed->usable;
}
