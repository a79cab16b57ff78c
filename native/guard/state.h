/* What every part of the guard shares: settings, marks, layout, names of the parts.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A guarded block, as libc sees it, from `base` on (16-byte granules):
 *
 *     base          user                       user+n
 *     | what  fence | the program's n bytes ... | trailer (8 bytes) | slack
 *
 *     what      size (42 bits) | log2 of the alignment << 42 (0: ordinary) | other << 48
 *     fence     0xfbfb << 48 | site << 32 | tag << 8 | 0xfb    the fence before the block
 *     trailer   the same again                                  the fence behind it, unaligned
 *
 * The bytes next to the program's are fixed, so that a stray terminator or the like always shows.
 * The tag depends on the address and the size. Whichever fence is broken, the other one still says
 * what the block was. For alignment above 16, user = base + alignment. `other` is the
 * number of scans before the block was made, and the site of the free when it is quarantined.
 */
#ifndef HEAPSTORY_GUARD_STATE_H
#define HEAPSTORY_GUARD_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GRANULE 16
#define HEADER 16
#define TRAILER 8
#define MOST_BYTES ((size_t)1 << 42)

/* Fill bytes. Repeated, none of them is a valid address (not canonical) or a likely number. */
#define FILL_NEW 0xcb
#define FILL_FREED 0xdb
#define FENCE_TOP ((uint64_t)0xfbfb << 48)
#define FENCE_LOW 0xfb

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define EXPORT __attribute__((visibility("default")))

/* The mark of a granule: what begins there. Live blocks say who allocated them. */
enum mark {
    MARK_NONE = 0,
    MARK_MALLOC = 1,
    MARK_NEW = 2,
    MARK_NEW_ARRAY = 3,
    MARK_LAST_LIVE = MARK_NEW_ARRAY,
    MARK_QUARANTINE = 4, /* freed, and not yet given back to libc */
    MARK_FREED = 5,      /* given back */
};

enum finding {
    BAD_FREE,
    DOUBLE_FREE,
    MISMATCHED_FREE,
    BAD_REALLOC,
    BROKEN_FENCE,
    WRITTEN_AFTER_FREE,
    CORRUPT_HEAP,
    UNADDRESSABLE_READ,
    UNADDRESSABLE_WRITE,
    LEAK,
    ALIAS,
};

/* Settings; all zero until the constructor has read them, so nothing is filled or held back before.
 */
struct settings {
    uint32_t fill_new;    /* bytes of a new block that are filled, at most */
    uint32_t fill_freed;  /* bytes of a freed block that are filled, and checked later */
    uint32_t held_blocks; /* of each size in one thread's quarantine, a power of two, not 0 */
    uint32_t held_bytes;  /* of large blocks in one thread's quarantine */
    uint32_t frames;      /* of a stack beyond the return address */
    bool moving_realloc;  /* every realloc moves, so that the old address is quarantined */
    bool mismatches;      /* new/delete/free are compared */
    bool leaks;           /* search at exit for blocks nobody refers to */
    bool live;            /* list live blocks at exit */
    bool
        alias_in_blocks; /* words in blocks count as references to freed ones, not only variables */
    uint32_t page_every; /* every so many allocations a block gets pages of its own; 0: none */
    uint32_t scan_every; /* milliseconds between two scans while the program runs; 0: none */
    uint32_t scan_budget; /* thousandths of a processor that scans may take; 0: any */
    bool ready;           /* all of this has been read */
};
extern struct settings settings;

/* Where the caller of an allocation function stands. Two words: passed in registers. */
struct caller {
    uintptr_t address; /* its return address */
    uintptr_t frame;   /* of the function it called: its frame pointer, then the return address */
};
#define CALLER                                                                                     \
    (struct caller) {                                                                              \
        (uintptr_t) __builtin_return_address(0), (uintptr_t)__builtin_frame_address(0)             \
    }

/* Its stack pointer, after the return. */
static inline uintptr_t caller_sp(struct caller caller) {
    return caller.frame + 16;
}
/* Its frame pointer, or whatever it keeps in that register. */
static inline uintptr_t caller_bp(struct caller caller) {
    return *(uintptr_t *)caller.frame;
}

#endif
