/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gone.h"

#define MOST_GONE 256

static struct block gone[MOST_GONE];
static uint32_t added;

void gone_add(const struct block *block) {
    uint32_t number = __atomic_fetch_add(&added, 1, __ATOMIC_RELAXED);
    struct block *place = &gone[number % MOST_GONE];
    __atomic_store_n(&place->user, NULL, __ATOMIC_RELEASE);
    place->size = block->size;
    place->align = block->align;
    place->site = block->site;
    place->other = block->other;
    __atomic_store_n(&place->user, block->user, __ATOMIC_RELEASE);
}

bool gone_find(uintptr_t address, struct block *block) {
    uint32_t end = __atomic_load_n(&added, __ATOMIC_ACQUIRE);
    for (uint32_t back = 1; back <= MOST_GONE && back <= end; back++) {
        const struct block *place = &gone[(end - back) % MOST_GONE];
        uintptr_t user = (uintptr_t)__atomic_load_n(&place->user, __ATOMIC_ACQUIRE);
        if (!user || address - user >= place->size)
            continue;
        *block = *place;
        return true;
    }
    return false;
}
