/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "quarantine.h"
#include "findings.h"
#include "libc.h"

#include <pthread.h>

#define MOST_HELD 1024

struct quarantine {
    uint32_t first, count;
    size_t bytes;
    bool busy;   /* a signal handler that frees meanwhile must not touch it */
    bool known;  /* the thread's end will empty it */
    bool closed; /* the thread has ended */
    char *held[MOST_HELD];
};
static __thread struct quarantine quarantine __attribute__((tls_model("initial-exec")));
static pthread_key_t at_thread_end;
static bool has_key;

static void fill_freed(const struct block *block) {
    size_t size = block->size < settings.fill_freed ? block->size : settings.fill_freed;
    memset(block->user, FILL_FREED, size);
}

/* No early end: the loop is one of vectors then, and mostly everything is as it should be. */
static bool is_filled(const char *at, size_t size) {
    const uint64_t pattern = FILL_FREED * 0x0101010101010101ull;
    uint64_t changed = 0;
    size_t whole = size & ~(size_t)7;
    for (size_t i = 0; i < whole; i += 8)
        changed |= load64(at + i) ^ pattern;
    for (size_t i = whole; i < size; i++)
        changed |= (uint8_t)at[i] ^ FILL_FREED;
    return !changed;
}

static __attribute__((noinline, cold)) void written_after_free(struct block *block) {
    size_t filled = block->size < settings.fill_freed ? block->size : settings.fill_freed,
           first = 0;
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
    for (size_t i = first; i <= last && i < first + 16; i++) {
        uint8_t byte = (uint8_t)block->user[i];
        char digits[4] = {' ', "0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15], 0};
        put_text(&text, digits);
    }
    text.text[text.used] = 0;
    finding(WRITTEN_AFTER_FREE, block->user + first, 0, block, MARK_QUARANTINE, text.text);
}

bool quarantine_block(char *user, struct block *block) {
    struct header header = *header_of(user);
    uint32_t site = fence_site(header.fence);
    *block = (struct block){user, header.size_align & 0xffffffffffffull,
                            (uint32_t)(header.size_align >> 48), site, 0};
    if (header.fence != fence_before(fences_of(user, header.size_align, site), site))
        return false;
    block->freed = block_retired(block);
    return true;
}

void quarantine_check(char *user) {
    struct block block;
    if (!quarantine_block(user, &block)) {
        block = (struct block){.user = user};
        finding(WRITTEN_AFTER_FREE, user - HEADER, 0, &block, MARK_QUARANTINE,
                "the fence before a freed block was overwritten");
        return;
    }
    size_t size = block.size < settings.fill_freed ? block.size : settings.fill_freed;
    if (unlikely(!is_filled(user, size))) {
        written_after_free(&block);
        fill_freed(&block);
    }
}

static void give_back(struct block *block) {
    /* First the mark: as soon as libc has it, another thread may be given it. */
    __atomic_store_n(mark_of(block->user), MARK_FREED, __ATOMIC_RELEASE);
    __libc_free(base_of(block));
}

/* Who frees when a block leaves has nothing to do with it: the finding names no statement. */
static void drop_oldest(struct quarantine *held) {
    char *user = held->held[held->first];
    held->first = (held->first + 1) & (MOST_HELD - 1);
    held->count--;
    struct block block;
    if (unlikely(!quarantine_block(user, &block))) {
        quarantine_check(user); /* libc's piece cannot be told any more: it is kept */
        held->bytes = held->count ? held->bytes : 0;
        return;
    }
    held->bytes -= block.size;
    size_t size = block.size < settings.fill_freed ? block.size : settings.fill_freed;
    if (unlikely(!is_filled(user, size)))
        written_after_free(&block);
    give_back(&block);
}

static void empty(void *unused) {
    (void)unused;
    struct quarantine *held = &quarantine;
    held->closed = true;
    held->busy = true;
    while (held->count)
        drop_oldest(held);
    held->busy = false;
}

void quarantine_start(void) {
    has_key = !pthread_key_create(&at_thread_end, empty);
}

void quarantine_add(struct block *block, uint32_t site) {
    struct quarantine *held = &quarantine;
    if (unlikely(block->size > settings.held_bytes || !settings.held_blocks || held->busy ||
                 held->closed)) {
        fill_freed(block);
        give_back(block);
        return;
    }
    held->busy = true;
    if (unlikely(!held->known)) {
        held->known = true;
        if (has_key)
            pthread_setspecific(at_thread_end, held);
    }
    fill_freed(block);
    block_retire(block, site);
    uint32_t most = settings.held_blocks < MOST_HELD ? settings.held_blocks : MOST_HELD;
    while (held->count && (held->count >= most || held->bytes + block->size > settings.held_bytes))
        drop_oldest(held);
    held->held[(held->first + held->count++) & (MOST_HELD - 1)] = block->user;
    held->bytes += block->size;
    /* The next one to leave has been away for long. */
    __builtin_prefetch(held->held[held->first] - HEADER);
    __builtin_prefetch(mark_of(held->held[held->first]), 1);
    held->busy = false;
}
