/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "named.h"

#include <link.h>
#include <stdlib.h>

#define MOST_NAMED 256

static struct { uintptr_t start, end; } named[MOST_NAMED];
static uint32_t named_count;

/* Where the program itself was loaded: it is the first of all modules. */
static int first_base(struct dl_phdr_info *module, size_t size, void *base) {
    (void)size;
    *(uintptr_t *)base = module->dlpi_addr;
    return 1;
}

bool named_start(const char *ranges) {
    uintptr_t base = 0;
    dl_iterate_phdr(first_base, &base);
    while (ranges && *ranges && named_count < MOST_NAMED) {
        char *end;
        uintptr_t start = strtoul(ranges, &end, 16);
        if (*end != '-')
            break;
        named[named_count].start = base + start;
        named[named_count].end = base + strtoul(end + 1, &end, 16);
        named_count++;
        ranges = *end == ' ' ? end + 1 : end;
    }
    return named_count;
}

bool named_any(const uintptr_t *frames, uint32_t count) {
    for (uint32_t i = 0; i < named_count; i++)
        for (uint32_t j = 0; j < count; j++)
            if (frames[j] > named[i].start && frames[j] <= named[i].end)
                return true;
    return false;
}
