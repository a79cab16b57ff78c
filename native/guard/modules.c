/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "modules.h"
#include "kept.h"
#include "kernel.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#define WRITTEN 4096

static uintptr_t written[WRITTEN]; /* hash table of start ^ end */

static const char *hex(const char *at, uintptr_t *number) {
    for (*number = 0;; at++) {
        int digit = *at >= '0' && *at <= '9'   ? *at - '0'
                    : *at >= 'a' && *at <= 'f' ? *at - 'a' + 10
                                               : -1;
        if (digit < 0)
            return at;
        *number = *number * 16 + (uintptr_t)digit;
    }
}

static void parse(const char *line, mapping_visitor *visit, void *data) {
    struct mapping mapping = {0};
    const char *at = hex(line, &mapping.start);
    at = hex(at + 1, &mapping.end) + 1;
    mapping.readable = at[0] == 'r', mapping.writable = at[1] == 'w',
    mapping.executable = at[2] == 'x', mapping.shared = at[3] == 's';
    hex(at + 5, &mapping.offset);
    const char *path = strchr(at, '/');
    const char *name = path ? path : strchr(at, '[');
    if (name) {
        strncpy(mapping.path, name, sizeof mapping.path - 1);
    }
    visit(&mapping, data);
}

bool mappings_visit(mapping_visitor *visit, void *data) {
    long file = proc_open("thread-self/maps", 0);
    if (file < 0)
        return false;
    char text[4096 + 1];
    size_t used = 0;
    for (;;) {
        long got = kernel(SYS_read, file, text + used, sizeof text - 1 - used);
        if (got == -EINTR)
            continue;
        if (got <= 0)
            break;
        used += (size_t)got;
        text[used] = 0;
        char *line = text, *end;
        while ((end = strchr(line, '\n'))) {
            *end = 0;
            parse(line, visit, data);
            line = end + 1;
        }
        used -= (size_t)(line - text);
        memmove(text, line, used);
    }
    kernel(SYS_close, file);
    return true;
}

static bool already_written(const struct mapping *mapping) {
    uintptr_t key = (mapping->start ^ mapping->end << 20) | 1;
    for (size_t probe = 0, slot = key * 0x9e3779b97f4a7c15ull >> 52; probe < 16; probe++, slot++) {
        uintptr_t *entry = &written[slot % WRITTEN];
        if (*entry == key)
            return true;
        if (!*entry) {
            *entry = key;
            return false;
        }
    }
    return false;
}

/* The notes of an ELF image in memory; `start` is where its file begins. */
static void put_build_id(struct lines *lines, uintptr_t start) {
    Elf64_Ehdr head;
    put_text(lines, " ");
    if (!kernel_read_memory(&head, (void *)start, sizeof head) ||
        memcmp(head.e_ident, ELFMAG, SELFMAG)) {
        put_text(lines, "-");
        return;
    }
    for (unsigned i = 0; i < head.e_phnum; i++) {
        Elf64_Phdr segment;
        uint8_t notes[512];
        if (!kernel_read_memory(&segment, (void *)(start + head.e_phoff + i * sizeof segment),
                                sizeof segment) ||
            segment.p_type != PT_NOTE || segment.p_filesz > sizeof notes ||
            !kernel_read_memory(notes, (void *)(start + segment.p_offset), segment.p_filesz))
            continue;
        for (size_t at = 0; at + 12 <= segment.p_filesz;) {
            Elf64_Nhdr note;
            memcpy(&note, notes + at, sizeof note);
            size_t name = at + sizeof note, body = name + ((note.n_namesz + 3) & ~3u);
            size_t next = body + ((note.n_descsz + 3) & ~3u);
            if (next > segment.p_filesz)
                break;
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
                !memcmp(notes + name, "GNU", 4)) {
                for (unsigned j = 0; j < note.n_descsz && j < 32; j++) {
                    char digits[3] = {"0123456789abcdef"[notes[body + j] >> 4],
                                      "0123456789abcdef"[notes[body + j] & 15], 0};
                    put_text(lines, digits);
                }
                return;
            }
            at = next;
        }
    }
    put_text(lines, "-");
}

struct module_writer {
    struct lines *lines;
    char path[1024]; /* of the file whose beginning was seen last */
    uintptr_t start;
};

static void write_module(const struct mapping *mapping, void *data) {
    struct module_writer *writer = data;
    if (mapping->path[0] == '/' && mapping->offset == 0) {
        strcpy(writer->path, mapping->path);
        writer->start = mapping->start;
    }
    if (!mapping->executable || mapping->path[0] != '/' || already_written(mapping))
        return;
    put_text(writer->lines, "M");
    put_hex(writer->lines, mapping->start);
    put_hex(writer->lines, mapping->end);
    put_hex(writer->lines, mapping->offset);
    put_build_id(writer->lines, strcmp(writer->path, mapping->path) ? 0 : writer->start);
    put_text(writer->lines, " ");
    put_text(writer->lines, mapping->path);
    put_end(writer->lines);
}

void modules_write(struct lines *lines) {
    if (output_sealed())
        return;
    struct module_writer writer = {.lines = lines};
    mappings_visit(write_module, &writer);
}

void modules_forget(void) {
    memset(written, 0, sizeof written);
}
