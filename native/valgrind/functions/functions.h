/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of this folder tell each other, and others. */
#ifndef HEAPSTORY_FUNCTIONS_FUNCTIONS_H
#define HEAPSTORY_FUNCTIONS_FUNCTIONS_H

#include "walk/pass.h"

/* blocks.c: memory for blocks. `class` says how it is kept, and must be given back with it. */
Addr hs_block_get(SizeT size, SizeT alignment, UInt *class); /* 0 where there is none */
void hs_block_put(Addr block, UInt class);
SizeT hs_block_usable(Addr block, UInt class);

/* live.c: the blocks that are alive, by address. A live block is a word: size, class, allocator.
 * Where freed blocks are kept for a while, they have a mark. */
#define HS_FREED (1ull << 63)
static inline ULong hs_live_word(SizeT size, UInt class, UInt allocator) {
    return size | (ULong) class << 48 | (ULong)allocator << 56;
}
static inline SizeT hs_live_size(ULong block) {
    return block & ((1ull << 48) - 1);
}
static inline UInt hs_live_class(ULong block) {
    return block >> 48 & 0xff;
}
static inline UInt hs_live_allocator(ULong block) {
    return (block & ~HS_FREED) >> 56;
}
void hs_live_start(void);
void hs_live_add(Addr address, ULong block);
ULong *hs_live_find(Addr address); /* NULL if there is none */
void hs_live_remove(ULong *block);
ULong *hs_freed_find(Addr address); /* the same of one that is freed and kept */
/* The start of the block, live or kept, that begins at or below the address, or above it, and at
 * most `within` bytes away; 0 if there is none. */
Addr hs_block_below(Addr address, SizeT within);
Addr hs_block_above(Addr address, SizeT within);
ULong hs_live_birth(void); /* the next ordinal */
/* All that are alive, and whether all of the block can be read: the program may forbid it. */
void hs_live_visit(void (*visit)(Addr block, SizeT size, Bool readable));
void hs_send_contents(void); /* of all blocks, where stores are not recorded */
struct hs_block {
    Addr address;
    SizeT size;
    ULong birth;
    UInt allocator;
};

/* allocations.c */
void hs_allocations_init(void);
void *hs_malloc(ThreadId tid, SizeT n);
void *hs_calloc(ThreadId tid, SizeT count, SizeT size);
void *hs_realloc(ThreadId tid, void *p, SizeT size);
void *hs_new(ThreadId tid, SizeT n);
void *hs_new_array(ThreadId tid, SizeT n);
/* Frees the block; whether the program must end, for it was none. */
Bool hs_free_is_fatal(void *p, UInt allocator);
/* The same, told the size of the block, which must be true. */
Bool hs_sized_free_is_fatal(void *p, SizeT size, UInt allocator);
/* A free of what is no block: by a function, or by a client request at `site`. */
void hs_bad_free(Addr address, UInt allocator, UInt site);
/* A client request frees what is no block of its own; whether it is one of malloc's. */
Bool hs_free_by_request(Addr address);
/* Whether the program must end since it wants to reallocate what is no block. */
Bool hs_realloc_is_fatal(void *p);

/* checked.c: blocks of a checked program, between redzones; freed ones are not reused for a while.
 */
Addr hs_checked_get(SizeT size, SizeT alignment, UInt *class);
void hs_checked_put(Addr block, ULong *live); /* freed, from here on kept */
/* The block that a bad address is most likely about, 0: none. */
Addr hs_block_meant(Addr address);
SizeT hs_meant_size(Addr block); /* of what that has answered */

/* failures.c */
Bool hs_allocation_fails(void);
void hs_asked_again(void); /* the question just answered with NULL comes a second time */

/* custom_alloc.c */
void hs_custom_start(void);
void hs_custom_finish(void);        /* says which of the functions named were never called */
void hs_custom_blocks(XArray *all); /* adds those alive */
SizeT hs_custom_size(Addr address); /* of the one that begins there; 0: there is none */
Addr hs_custom_meant(Addr address); /* as hs_block_meant, of those that are no block of malloc's */
/* What the program itself calls a block, between redzones; of a pool, 0: none. */
void hs_custom_begin(Addr address, SizeT size, SizeT redzone, Bool zeroed, Addr pool);
void hs_tell_request(void);        /* what is sent next is said by a client request */
Bool hs_custom_free(Addr address); /* whether there was one */
/* Whether a client request made the block; a function that frees others frees it, an error. */
Bool hs_custom_is_told(Addr address);
void hs_custom_freed_by(Addr address, UInt allocator);
/* Bytes that it gets more are undefined; whether there was one. */
Bool hs_custom_resize(Addr address, SizeT size, SizeT redzone);
/* Ends all blocks of a pool that are not within a range. */
void hs_custom_end(Addr pool, Addr start, SizeT length);
void hs_custom_rename(Addr pool, Addr to);
Bool hs_custom_has_redzone(void); /* a layer around what runs now has asked for one */

/* custom_pages.c: pages that are recorded for the sake of such blocks alone. */
void hs_custom_pages_on(Addr start, SizeT length);
Bool hs_custom_page(Addr address);
void hs_custom_visit(void (*visit)(Addr block, SizeT size, Bool readable)); /* the blocks there */
/* The first block alive, as of the last sorting, that ends behind an address; 0: none. */
void hs_custom_sort(void);
Addr hs_custom_from(Addr address, Addr *end);

/* strings.c: functions of the preload object, done by the tool. readers.c: those that only read. */
struct hs_string_function {
    const HChar *name;
    ULong (*function)(UChar *, UChar *, SizeT, SizeT, ULong);
    struct hs_stub_uses uses; /* where the stream asks */
    UShort looks_at;          /* registers, where `uses` has not all of them */
};
extern const struct hs_string_function hs_readers[];
extern const struct hs_pass hs_string_pass;
/* A ranged operation that is under way; length 0: none. */
struct hs_pending {
    Addr start;
    SizeT length;
    ULong site;
};
extern struct hs_pending hs_pending;
extern struct hs_target { /* what the last one wrote to, or still does */
    Addr start;
    SizeT length;
} hs_target;
void hs_send_pending(void); /* after a fault inside it */

/* rep.c */
extern const struct hs_pass hs_rep_pass;

#endif
