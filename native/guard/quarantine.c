/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "quarantine.h"
#include "findings.h"
#include "gone.h"
#include "libc.h"

static __attribute__((noinline, cold)) void written_after_free(struct block *block) {
    size_t filled = filled_bytes(block->size, settings.fill_freed), first = 0;
    while (first < filled && (uint8_t)block->user[first] == FILL_FREED)
        first++;
    size_t last = first;
    for (size_t i = first; i < filled; i++)
        if ((uint8_t)block->user[i] != FILL_FREED)
            last = i;
    struct lines text;
    text.used = 0;
    put_text(&text, "bytes");
    put_number(&text, first);
    put_text(&text, " to");
    put_number(&text, last);
    put_text(&text, " of the block were written after it was freed:");
    put_bytes(&text, (uint8_t *)block->user + first, last - first < 16 ? last - first + 1 : 16);
    text.text[text.used] = 0;
    finding(WRITTEN_AFTER_FREE, block->user + first, 0, block, MARK_QUARANTINE, text.text);
}

bool quarantine_check(char *user) {
    struct block block;
    if (!undress_header(user, &block)) {
        block = (struct block){.user = user};
        finding(WRITTEN_AFTER_FREE, user - HEADER, 0, &block, MARK_QUARANTINE,
                "the fence before a freed block was overwritten");
        return false;
    }
    if (unlikely(!is_untouched(user, &block))) {
        written_after_free(&block);
        fill(user, filled_bytes(block.size, settings.fill_freed), FILL_FREED);
    }
    return true;
}

static bool ring_holds(const struct ring *ring, char *const *held, uint32_t mask,
                       const char *user) {
    for (uint32_t i = 0; i < ring->count; i++)
        if (held[(ring->first + i) & mask] == user)
            return true;
    return false;
}

static bool is_held(const char *user) {
    for (const struct thread *each = all_threads; each; each = each->other) {
        if (ring_holds(&each->large, each->held_large, MOST_LARGE - 1, user))
            return true;
        for (size_t piece = 0; piece < PIECES; piece++)
            if (ring_holds(&each->rings[piece], each->rings[piece].held, each->mask, user))
                return true;
    }
    return false;
}

void quarantine_check_held(char *user) {
    struct block block;
    if (unlikely(!is_untouched(user, &block)) && is_held(user))
        quarantine_check(user);
}

char *quarantine_take(size_t size, struct thread *own) {
    struct ring *ring = own && size <= MOST_SMALL ? &own->rings[piece_of(size)] : NULL;
    if (!ring || own->busy || ring->count <= own->enough)
        return NULL;
    char *user = ring_take(ring, own);
    return quarantine_check(user) ? user : NULL;
}

static void give_back(const struct block *block) {
    if (unlikely(block->size >= GONE_LEAST)) {
        struct block was = *block;
        was.other =
            (uint32_t)(header_of(block->user)->what >> WHAT_BITS); /* the site of its free */
        gone_add(&was);
    }
    /* First the mark: as soon as libc has it, another thread may be given it. */
    __atomic_store_n(mark_of(block->user), MARK_FREED, __ATOMIC_RELEASE);
    __libc_free(base_of(block));
}

/* Who frees when a block leaves has nothing to do with it: the finding names no statement. A block
 * whose header is gone is kept, since libc's piece cannot be told any more. */
static __attribute__((noinline)) void let_go_other(char *user) {
    struct block block;
    if (is_untouched(user, &block) || (quarantine_check(user) && undress_header(user, &block)))
        give_back(&block);
}

void quarantine_let_go(char *user) {
    if (unlikely(!is_small_untouched(user))) {
        let_go_other(user);
        return;
    }
    __atomic_store_n(mark_at(user), MARK_FREED, __ATOMIC_RELEASE);
    __libc_free(user - HEADER);
}

static void drop_oldest_large(struct thread *own) {
    char *user = own->held_large[own->large.first++ % MOST_LARGE];
    own->large.count--;
    own->large_bytes -= size_of(header_of(user)->what);
    let_go_other(user);
    if (!own->large.count)
        own->large_bytes = 0; /* a header that was overwritten said something else */
}

void quarantine_add_other(const struct block *block, struct thread *own) {
    bool small = block->size <= MOST_SMALL && !block->align;
    if (small || !own || own->busy || block->size > settings.held_bytes) {
        give_back(block);
        return;
    }
    thread_enter(own);
    while (own->large.count &&
           (own->large.count == MOST_LARGE || own->large_bytes + block->size > settings.held_bytes))
        drop_oldest_large(own);
    own->held_large[(own->large.first + own->large.count++) % MOST_LARGE] = block->user;
    own->large_bytes += block->size;
    thread_leave(own);
}
