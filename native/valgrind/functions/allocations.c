/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The allocation family: malloc, calloc, realloc, memalign and friends, C++ new and delete. The
 * preload object calls these, the commonest by a stub and the others through Valgrind's replacement
 * functions; argument checks that belong to the C library (posix_memalign's alignment, calloc's
 * overflow, errno) are made there.
 *
 * Where the memory comes from is in blocks.c. A pointer that is no live block is left alone by free
 * and answered with NULL by realloc, as Memcheck does, and told; with --abort-on-bad-free the
 * program then ends, as it would have without us (preload.c).
 */
#include "functions/functions.h"
#include "shared/addressable.h"
#include "shared/errors.h"
#include "shared/listeners.h"
#include "shared/options.h"
#include "shared/pages.h"
#include "shared/ranges.h"
#include "shared/ring.h"
#include "shared/versions.h"

#define REDZONE 16
#define MOST ((SizeT)1 << 47) /* bytes: there is no more address space */
/* A block this large that shrinks to less than half moves, so that the memory comes back. */
#define SHRINK_IN_PLACE 65536
#define MOST_TOLD 1000 /* bad frees that listeners hear of */

/* A size that can only be a negative number is an error of its own. */
static void check_size(SizeT size) {
    struct hs_error error = {.kind = HSW_BAD_ARGUMENT, .address = size};
    if (hs_checking() && (SSizeT)size < 0)
        hs_tell_error(&error);
}

static void *allocate(SizeT size, SizeT alignment, UInt allocator) {
    Addr block;
    UInt class;
    if (size >= MOST || alignment >= MOST)
        return NULL;
    if (hs_checking())
        block = hs_checked_get(size, alignment, &class);
    else
        block = hs_block_get(size, alignment, &class);
    if (!block)
        return NULL;
    if (allocator == HSW_CALLOC) {
        hs_set((void *)block, 0, size);
        if (hs_states)
            hs_set_states(block, size, HS_DEFINED);
    }
    hs_live_add(block, hs_live_word(size, class, allocator));
    hs_pages_on(block, size);
    return (void *)block;
}

static void *allocate_and_tell(SizeT size, SizeT alignment, UInt allocator) {
    void *block;
    check_size(size);
    if (size < MOST && hs_allocation_fails())
        return NULL;
    block = allocate(size, alignment, allocator);
    if (block && hs_recording())
        hs_record(HSW_ALLOC, (Addr)block, size | (ULong)allocator << 56);
    return block;
}

void hs_bad_free(Addr address, UInt allocator, UInt site) {
    static UInt told;
    if (!hs_recording() || (hs_checking() && hs_errors_are_hidden()))
        return;
    hs_count_error();
    hs_record(HSW_BAD_FREE, address & HSW_ADDRESS_MASK,
              address >> HSW_ADDRESS_BITS | (ULong)site << HSW_BAD_FREE_SITE |
                  (ULong)allocator << 56);
    if (hs_checking() && told < MOST_TOLD) {
        told++;
        HS_TELL(erred);
    }
}

/* What delete is told of the block's size must be true; one that is not new's is an error anyway.
 */
static void check_deleted_size(Addr address, SizeT told, UInt allocator) {
    const ULong *block = hs_live_find(address);
    struct hs_error error = {
        .kind = HSW_BAD_ARGUMENT, .address = address, .bytes = told, .block = address};
    if (hs_checking() && block && hs_live_allocator(*block) == allocator &&
        hs_live_size(*block) != told)
        hs_tell_error(&error);
}

static UInt family(UInt allocator) {
    Bool is_malloc = allocator == HSW_CALLOC || allocator == HSW_MEMALIGN;
    return is_malloc || allocator == HSW_BY_REALLOC ? HSW_MALLOC : allocator;
}

/* The function that frees a block, or, where the program wants to hear of no errors, the one that
 * should. */
static UInt freed_by(UInt allocator, UInt by) {
    if (!hs_checking() || family(allocator) == family(by))
        return by;
    if (hs_errors_are_hidden())
        return family(allocator);
    hs_count_error();
    return by;
}

/* What `live` says is live no more. */
static void put(Addr block, ULong *live) {
    if (hs_checking()) {
        hs_checked_put(block, live);
        return;
    }
    hs_block_put(block, hs_live_class(*live));
    hs_live_remove(live);
}

static Bool release(void *p, UInt allocator) {
    ULong *block = hs_live_find((Addr)p);
    if (!p)
        return True;
    if (!block && hs_custom_is_told((Addr)p)) {
        hs_custom_freed_by((Addr)p, freed_by(HSW_CUSTOM, allocator));
        return True;
    }
    if (!block) {
        hs_bad_free((Addr)p, allocator, 0);
        return False;
    }
    if (hs_recording())
        hs_record(HSW_FREE_BLOCK, (Addr)p,
                  (ULong)freed_by(hs_live_allocator(*block), allocator) << 56);
    put((Addr)p, block);
    return True;
}

Bool hs_free_by_request(Addr address) {
    if (!hs_live_find(address))
        return False;
    hs_tell_request();
    return release((void *)address, HSW_CUSTOM_TOLD);
}

Bool hs_free_is_fatal(void *p, UInt allocator) {
    return !release(p, allocator) && hs_options.abort_on_bad_free;
}

Bool hs_sized_free_is_fatal(void *p, SizeT size, UInt allocator) {
    check_deleted_size((Addr)p, size, allocator);
    return hs_free_is_fatal(p, allocator);
}

Bool hs_realloc_is_fatal(void *p) {
    if (!p || hs_live_find((Addr)p) || !hs_options.abort_on_bad_free)
        return False;
    hs_bad_free((Addr)p, HSW_BY_REALLOC, 0);
    return True;
}

void *hs_malloc(ThreadId tid, SizeT n) {
    return allocate_and_tell(n, 0, HSW_MALLOC);
}

void *hs_new(ThreadId tid, SizeT n) {
    return allocate_and_tell(n, 0, HSW_NEW);
}

static void *hs_new_aligned(ThreadId tid, SizeT n, SizeT alignment HS_ASKED_ALIGNMENT) {
    return allocate_and_tell(n, alignment, HSW_NEW);
}

void *hs_new_array(ThreadId tid, SizeT n) {
    return allocate_and_tell(n, 0, HSW_NEW_ARRAY);
}

static void *hs_new_array_aligned(ThreadId tid, SizeT n, SizeT alignment HS_ASKED_ALIGNMENT) {
    return allocate_and_tell(n, alignment, HSW_NEW_ARRAY);
}

static void *hs_memalign(ThreadId tid, SizeT alignment HS_ASKED_ALIGNMENT, SizeT n) {
    return allocate_and_tell(n, alignment, HSW_MEMALIGN);
}

void *hs_calloc(ThreadId tid, SizeT count, SizeT size) {
    check_size((SSizeT)count < 0 ? count : size);
    if (size != 0 && count > (~(SizeT)0 >> 1) / size)
        return NULL;
    return allocate_and_tell(count * size, 0, HSW_CALLOC);
}

static void hs_free(ThreadId tid, void *p) {
    release(p, HSW_MALLOC);
}
static void hs_delete(ThreadId tid, void *p) {
    release(p, HSW_NEW);
}
static void hs_delete_aligned(ThreadId tid, void *p, SizeT align) {
    release(p, HSW_NEW);
}
static void hs_delete_array(ThreadId tid, void *p) {
    release(p, HSW_NEW_ARRAY);
}
static void hs_delete_array_aligned(ThreadId tid, void *p, SizeT align) {
    release(p, HSW_NEW_ARRAY);
}

/* Where the program is checked every block moves, so that pointers to the old one are noticed. */
static Bool fits_in_place(void *p, ULong block, SizeT size) {
    SizeT usable = hs_block_usable((Addr)p, hs_live_class(block));
    return !hs_checking() && size <= usable && !(usable > SHRINK_IN_PLACE && size < usable / 2);
}

void *hs_realloc(ThreadId tid, void *p, SizeT size) {
    ULong *old = hs_live_find((Addr)p);
    SizeT old_size, kept;
    void *moved = p;
    if (!p) /* reallocarray of newer Valgrinds asks the tool itself */
        return hs_malloc(tid, size);
    if (!old) {
        hs_bad_free((Addr)p, HSW_BY_REALLOC, 0);
        return NULL;
    }
    if (!size) { /* as do those */
        release(p, HSW_MALLOC);
        return NULL;
    }
    check_size(size);
    if (size >= MOST || hs_allocation_fails())
        return NULL;
    freed_by(hs_live_allocator(*old), HSW_BY_REALLOC);
    old_size = hs_live_size(*old);
    kept = size < old_size ? size : old_size;
    if (fits_in_place(p, *old, size)) {
        *old = hs_live_word(size, hs_live_class(*old), HSW_MALLOC);
        hs_pages_on((Addr)p, size);
    } else {
        moved = allocate(size, 0, HSW_MALLOC);
        if (!moved)
            return NULL;
        hs_copy(moved, p, kept);
        HS_TELL(reallocated, (Addr)moved, (Addr)p, kept);
    }
    if (hs_recording()) {
        hs_record(HSW_REALLOC, (Addr)moved, size | (ULong)HSW_MALLOC << 56);
        hs_record(HSW_REALLOC_OLD, (Addr)p, old_size);
        if (moved != p)
            hs_range((Addr)moved, kept, HSW_RANGE_REALLOC, 0);
    }
    if (moved != p)
        put((Addr)p, hs_live_find((Addr)p));
    return moved;
}

/* The size asked for, not what the arena rounded it up to: the extra bytes would be no node's. */
static SizeT hs_usable_size(ThreadId tid, void *p) {
    ULong *block = hs_live_find((Addr)p);
    return block ? hs_live_size(*block) : 0;
}

void hs_allocations_init(void) {
    VG_(needs_malloc_replacement)
    (hs_malloc, hs_new, hs_new_aligned, hs_new_array, hs_new_array_aligned, hs_memalign, hs_calloc,
     hs_free, hs_delete, hs_delete_aligned, hs_delete_array, hs_delete_array_aligned, hs_realloc,
     hs_usable_size, REDZONE);
}
