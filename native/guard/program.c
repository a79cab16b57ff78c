/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "program.h"
#include "kernel.h"

#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NAMED 1024
#define MOST_NUMBERS 4096
#define MOST_TEXT ((size_t)256 << 10)
#define MOST_PATH 4096

struct spans {
    uint32_t count, most;
    struct span {
        uintptr_t start, end;
    } * all;
};
static struct span named_spans[MOST_NAMED], number_spans[MOST_NUMBERS];
static struct spans named = {0, MOST_NAMED, named_spans};
static struct spans numbers = {0, MOST_NUMBERS, number_spans};

/* Where the program itself was loaded: it is the first of all modules. */
static int first_base(struct dl_phdr_info *module, size_t size, void *base) {
    (void)size;
    *(uintptr_t *)base = module->dlpi_addr;
    return 1;
}

static bool is_this_program(const char *path, size_t length) {
    char own[MOST_PATH];
    long got = kernel(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", own, sizeof own);
    return got == (long)length && !memcmp(own, path, length);
}

static void add(struct spans *spans, const char *text, uintptr_t base) {
    char *end;
    struct span made = {base + strtoul(text, &end, 16), 0};
    if (*end != '-' || spans->count == spans->most)
        return;
    made.end = base + strtoul(end + 1, NULL, 16);
    spans->all[spans->count++] = made;
}

static const char *after(const char *line, const char *word) {
    size_t length = strlen(word);
    return strncmp(line, word, length) ? NULL : line + length;
}

static void read_lines(const char *line) {
    uintptr_t base = 0;
    dl_iterate_phdr(first_base, &base);
    for (const char *end; (end = strchr(line, '\n')); line = end + 1) {
        const char *rest;
        if ((rest = after(line, "exe ")) && !is_this_program(rest, (size_t)(end - rest)))
            return;
        if ((rest = after(line, "page ")))
            add(&named, rest, base);
        if ((rest = after(line, "numbers ")))
            add(&numbers, rest, base);
    }
}

void program_start(const char *folder) {
    char path[MOST_PATH];
    if (!folder || strlen(folder) > sizeof path - 10)
        return;
    strcpy(path, folder);
    strcat(path, "/program");
    char *text = kernel_map(MOST_TEXT);
    if (text && kernel_read_all(kernel(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0), text,
                                MOST_TEXT) > 0)
        read_lines(text);
    kernel_unmap(text, MOST_TEXT);
}

bool program_names_code(void) {
    return named.count;
}

bool program_is_named(const uintptr_t *frames, uint32_t count) {
    for (uint32_t i = 0; i < named.count; i++)
        for (uint32_t j = 0; j < count; j++)
            if (frames[j] > named.all[i].start && frames[j] <= named.all[i].end)
                return true;
    return false;
}

void program_numbers(numbers_visitor *visit) {
    for (uint32_t i = 0; i < numbers.count; i++)
        visit(numbers.all[i].start, numbers.all[i].end);
}
