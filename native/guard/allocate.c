/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "allocate.h"
#include "findings.h"
#include "gone.h"
#include "libc.h"
#include "paged.h"

#include <errno.h>

#define FAR ((size_t)1 << 20) /* how far before a wild pointer its block is looked for */

static __attribute__((noinline, cold)) void overlap(uintptr_t live, char *user, uint32_t site) {
    struct block block;
    struct damage damage; /* libc has written over the header, as it does with what is free */
    block_recover((char *)live, &block, &damage);
    finding(CORRUPT_HEAP, user, site, &block, *mark_of((char *)live),
            "malloc gave out memory of a block that is still live");
}

/* What libc gave becomes a block. */
static void *finish(char *base, size_t offset, size_t size, uint32_t align, enum mark kind,
                    uint32_t site, bool filled) {
    if (unlikely(!base))
        return NULL;
    char *user = base + offset;
    uintptr_t from = (uintptr_t)base, to = (uintptr_t)user + size + TRAILER;
    if (unlikely(!regions[from >> REGION_SHIFT] || (from ^ (to - 1)) >> REGION_SHIFT) &&
        !marks_map(from, to)) {
        __libc_free(base);
        errno = ENOMEM;
        return NULL;
    }
    uintptr_t live = marks_clear(from, to); /* the block's own may be an old one */
    if (unlikely(live))
        overlap(live, user, site);
    if (!filled)
        fill(user, filled_bytes(size, settings.fill_new), FILL_NEW);
    dress(user, size, align, site);
    marks_touch((uintptr_t)user);
    __atomic_store_n(mark_of(user), (uint8_t)kind, __ATOMIC_RELEASE);
    return user;
}

static inline bool too_large(size_t size) {
    if (likely(size < MOST_BYTES))
        return false;
    errno = ENOMEM;
    return true;
}

static void *from_libc(size_t size, enum mark kind, uint32_t site) {
    if (too_large(size))
        return NULL;
    return finish(__libc_malloc(size + HEADER + TRAILER), HEADER, size, 0, kind, site, false);
}

/* The marks of few granules, but for the second: where the block itself begins. */
static inline uint64_t other_marks(const uint8_t *marks, size_t count) {
    return load64(marks) & ~0ull >> (64 - 8 * count) & ~0xff00ull;
}

/* The same as finish(), for a few granules in a region that is known, without old marks. */
void *guard_from_libc(size_t size, enum mark kind, uint32_t site) {
    char *base = __libc_malloc(size + HEADER + TRAILER), *user = base + HEADER;
    uintptr_t from = (uintptr_t)base, to = (uintptr_t)user + size + TRAILER;
    uint8_t *region = regions[from >> REGION_SHIFT]; /* that of NULL is never mapped */
    uint8_t *marks = region + (from >> 4 & (REGION_MARKS - 1));
    size_t count = (to - from + GRANULE - 1) / GRANULE;
    if (unlikely(!region || count > 8 || (from ^ to) >> REGION_SHIFT || other_marks(marks, count) ||
                 is_live(marks[1]) || !*marks_chunk(region, (uintptr_t)user)))
        return finish(base, HEADER, size, 0, kind, site, false);
    fill(user, filled_bytes(size, settings.fill_new), FILL_NEW);
    dress_small(user, size, site);
    __atomic_store_n(&marks[1], (uint8_t)kind, __ATOMIC_RELEASE);
    return user;
}

/* A block that waited. NULL if none does. */
static void *from_quarantine(size_t size, enum mark kind, uint32_t site, struct thread *own) {
    char *user = quarantine_take(size, own);
    if (!user)
        return NULL;
    fill(user, filled_bytes(size, settings.fill_new), FILL_NEW);
    dress_small(user, size, site);
    __atomic_store_n(mark_at(user), (uint8_t)kind, __ATOMIC_RELEASE);
    return user;
}

void *guard_allocate(size_t size, enum mark kind, struct caller caller) {
    struct thread *own = thread_own();
    uint32_t site = site_of(caller, own);
    void *paged = paged_wanted(site, own) ? paged_allocate(size, kind, site) : NULL;
    if (unlikely(paged != NULL))
        return paged;
    void *again = from_quarantine(size, kind, site, own);
    return again ? again : from_libc(size, kind, site);
}

void *guard_zeroed(size_t count, size_t size, struct caller caller) {
    size_t bytes;
    if (unlikely(__builtin_mul_overflow(count, size, &bytes)))
        bytes = MOST_BYTES;
    if (too_large(bytes))
        return NULL;
    struct thread *own = thread_own();
    uint32_t site = site_of(caller, own);
    void *paged = paged_wanted(site, own) ? paged_allocate(bytes, MARK_MALLOC, site) : NULL;
    if (unlikely(paged != NULL))
        return memset(paged, 0, bytes);
    return finish(__libc_calloc(1, bytes + HEADER + TRAILER), HEADER, bytes, 0, MARK_MALLOC, site,
                  true);
}

void *guard_aligned(size_t alignment, size_t size, enum mark kind, struct caller caller) {
    if (alignment <= GRANULE)
        return guard_allocate(size, kind, caller);
    if (too_large(size) || too_large(alignment))
        return NULL;
    char *base = __libc_memalign(alignment, size + alignment + TRAILER);
    return finish(base, alignment, size, (uint32_t)__builtin_ctzll(alignment), kind,
                  site_of(caller, thread_own()), false);
}

/* Says what is wrong with a pointer that is no live block. */
static __attribute__((noinline, cold)) void wrong_pointer(void *user, uint8_t mark, bool freeing,
                                                          struct caller caller) {
    uint32_t site = site_of(caller, thread_own());
    struct block block = {.user = user};
    if (mark == MARK_QUARANTINE) {
        if (!undress_header(user, &block))
            block = (struct block){.user = user};
        finding(freeing ? DOUBLE_FREE : BAD_REALLOC, user, site, &block, mark,
                freeing ? "freed before" : "realloc of a block that was freed before");
        return;
    }
    bool live;
    if (mark == MARK_FREED && paged_block((uintptr_t)user, &block, &live) && block.user == user) {
        finding(freeing ? DOUBLE_FREE : BAD_REALLOC, user, site, &block, MARK_QUARANTINE,
                freeing ? "freed before" : "realloc of a block that was freed before");
        return;
    }
    if (mark == MARK_FREED) {
        finding(freeing ? DOUBLE_FREE : BAD_REALLOC, user, site, NULL, mark,
                freeing ? "freed before, so long ago that the block is not known any more"
                        : "realloc of a block that was freed long ago");
        return;
    }
    uintptr_t start = marks_before((uintptr_t)user, FAR);
    uint8_t *before = start ? mark_of((void *)start) : NULL;
    if (before && (is_live(*before) || *before == MARK_QUARANTINE)) {
        bool known = is_live(*before) ? undress((char *)start, &block)
                                      : undress_header((char *)start, &block);
        if (known && (uintptr_t)user < start + block.size) {
            struct lines text;
            text.used = 0;
            put_text(&text, "points into a block,");
            put_number(&text, (uintptr_t)user - start);
            put_text(&text, " bytes from its start");
            text.text[text.used] = 0;
            finding(freeing ? BAD_FREE : BAD_REALLOC, user, site, &block, *before, text.text);
            return;
        }
    }
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    bool on_stack = (uintptr_t)user > here && (uintptr_t)user - here < ((uintptr_t)8 << 20);
    finding(freeing ? BAD_FREE : BAD_REALLOC, user, site, NULL, MARK_NONE,
            on_stack ? "the address is on the stack" : "the address was never allocated");
}

static __attribute__((noinline, cold)) void mismatched(const struct block *block, uint8_t mark,
                                                       enum mark kind, uint32_t site) {
    static const char *const how[] = {
        [MARK_MALLOC] = "free", [MARK_NEW] = "delete", [MARK_NEW_ARRAY] = "delete[]"};
    struct lines text;
    text.used = 0;
    put_text(&text, "allocated by ");
    put_text(&text, mark_name(mark));
    put_text(&text, ", freed by ");
    put_text(&text, how[kind]);
    text.text[text.used] = 0;
    finding(MISMATCHED_FREE, block->user, site, block, mark, text.text);
}

/* The fences of a block that is being freed are broken: false if nothing is known of it, and then
 * it is better lost than given back wrongly. */
static __attribute__((noinline, cold)) bool released_broken(struct block *block, uint8_t *at,
                                                            uint8_t mark, uint32_t site) {
    *at = mark; /* as it was, for the report */
    finding_broken_fence(block->user, site, block);
    *at = MARK_QUARANTINE;
    if (!block->size && !block->site)
        return false;
    block_repair(block);
    return true;
}

void guard_release(void *user, enum mark kind, struct caller caller) {
    uint8_t *at = (uintptr_t)user & (GRANULE - 1) ? NULL : mark_of(user);
    uint8_t mark = at ? __atomic_load_n(at, __ATOMIC_ACQUIRE) : MARK_NONE;
    if (!is_live(mark) || !guard_claim(at, mark)) {
        mark = at ? __atomic_load_n(at, __ATOMIC_ACQUIRE) : MARK_NONE;
        wrong_pointer(user, mark, true, caller);
        return;
    }
    struct block block;
    struct thread *own = thread_own();
    uint32_t site = site_of(caller, own);
    if (!undress(user, &block) && !released_broken(&block, at, mark, site))
        return;
    if (mark != kind && settings.mismatches)
        mismatched(&block, mark, kind, site);
    if (block.align == ALIGN_PAGED)
        paged_release(user, site);
    else
        quarantine_add(&block, site, own);
}

static void *move(struct block *old, size_t size, uint8_t mark, struct caller caller) {
    void *made = guard_allocate(size, mark, caller);
    if (!made)
        return NULL;
    memcpy(made, old->user, old->size < size ? old->size : size);
    guard_release(old->user, mark, caller);
    return made;
}

void *guard_resize(void *user, size_t size, struct caller caller) {
    uint8_t *at = (uintptr_t)user & (GRANULE - 1) ? NULL : mark_of(user);
    uint8_t mark = at ? __atomic_load_n(at, __ATOMIC_ACQUIRE) : MARK_NONE;
    if (unlikely(!is_live(mark))) {
        wrong_pointer(user, mark, false, caller);
        errno = ENOMEM;
        return NULL;
    }
    struct block block;
    if (unlikely(!undress(user, &block))) {
        finding_broken_fence(user, site_of(caller, thread_own()), &block);
        if (!block.size && !block.site) {
            errno = ENOMEM;
            return NULL;
        }
        block_repair(&block);
    }
    if (unlikely(mark != MARK_MALLOC) && settings.mismatches)
        mismatched(&block, mark, MARK_MALLOC, site_of(caller, thread_own()));
    if (too_large(size))
        return NULL;
    if (settings.moving_realloc || block.align)
        return move(&block, size, mark, caller);
    if (block.size <= MOST_SMALL && size <= MOST_SMALL && piece_of(size) == piece_of(block.size)) {
        dress(user, size, 0, site_of(caller, thread_own())); /* it fits where it is */
        return user;
    }
    if (!guard_claim(at, mark)) { /* freed by another thread just now */
        wrong_pointer(user, __atomic_load_n(at, __ATOMIC_ACQUIRE), false, caller);
        errno = ENOMEM;
        return NULL;
    }
    /* First the mark: as soon as libc has moved it, another thread may be given the old place. */
    __atomic_store_n(at, MARK_FREED, __ATOMIC_RELEASE);
    char *base = __libc_realloc(base_of(&block), size + HEADER + TRAILER);
    if (!base) {
        __atomic_store_n(at, mark, __ATOMIC_RELEASE);
        return NULL;
    }
    if (unlikely(block.size >= GONE_LEAST)) {
        block.other = site_of(caller, thread_own());
        gone_add(&block);
    }
    return finish(base, HEADER, size, 0, mark, site_of(caller, thread_own()), true);
}
