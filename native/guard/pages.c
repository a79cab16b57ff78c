/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "pages.h"
#include "kept.h"
#include "kernel.h"

#include <cpuid.h>

#define PAGE_SHIFT 12
#define AHEAD 512 /* pages that the kernel is asked for at a time */
#define MOST_READABLE 16384
#define THERE ((uint64_t)3 << 62) /* in memory, or swapped out */

static struct { uintptr_t start, end; } readable[MOST_READABLE];
static size_t readable_count;
static long map;                /* pagemap below /proc */
static uint64_t known[AHEAD];   /* what it says of the pages from `first` on */
static uintptr_t first, behind; /* numbers of pages */
static uint32_t keys;           /* which protection keys were in force */

static bool has_keys(void) {
    unsigned a, b, c = 0, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && c & bit_OSPKE;
}

/* Memory with a key of its own (code that is made at run time) is readable for the kernel only. */
static void set_keys(uint32_t value) {
    __asm__ volatile("wrpkru" : : "a"(value), "c"(0), "d"(0) : "memory");
}

void pages_begin(void) {
    readable_count = 0;
    first = behind = 0;
    map = proc_open("thread-self/pagemap", 0);
    if (has_keys()) {
        unsigned high;
        __asm__ volatile("rdpkru" : "=a"(keys), "=d"(high) : "c"(0));
        set_keys(0);
    }
}

void pages_end(void) {
    if (has_keys())
        set_keys(keys);
    if (map >= 0)
        kernel(SYS_close, map);
}

void pages_may_read(uintptr_t start, uintptr_t end) {
    if (readable_count && readable[readable_count - 1].end == start)
        readable[readable_count - 1].end = end;
    else if (readable_count < MOST_READABLE) {
        readable[readable_count].start = start;
        readable[readable_count++].end = end;
    }
}

bool pages_readable(uintptr_t start, uintptr_t end) {
    size_t low = 0, high = map < 0 ? 0 : readable_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (readable[middle].end <= start)
            low = middle + 1;
        else
            high = middle;
    }
    return map >= 0 && low < readable_count && start >= readable[low].start &&
           end <= readable[low].end;
}

/* Whether there is a page of this number; one that nothing is known of may be there. */
static bool is_there(uintptr_t number, uintptr_t last) {
    if (number < first || number >= behind) {
        size_t count = last - number < AHEAD ? last - number : AHEAD;
        long got = kernel(SYS_pread64, map, known, count * sizeof *known, number * sizeof *known);
        first = number;
        behind = number + (got > 0 ? (size_t)got / sizeof *known : 0);
    }
    return number >= behind || known[number - first] & THERE;
}

bool pages_next(uintptr_t start, uintptr_t end, uintptr_t *from, uintptr_t *to) {
    uintptr_t number = start >> PAGE_SHIFT, last = ((end - 1) >> PAGE_SHIFT) + 1;
    if (start >= end)
        return false;
    while (number < last && !is_there(number, last))
        number++;
    if (number == last)
        return false;
    uintptr_t begin = number;
    while (number < last && number - begin < AHEAD && is_there(number, last))
        number++;
    *from = begin << PAGE_SHIFT > start ? begin << PAGE_SHIFT : start;
    *to = number << PAGE_SHIFT < end ? number << PAGE_SHIFT : end;
    return true;
}
