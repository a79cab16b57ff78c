/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads what gcc and clang write on x86-64 Linux: a table sorted by address that refers to entries
 * (FDE), each with a common part (CIE). Both hold small programs that change rules as the address
 * grows. Anything else, expressions above all, ends the stack. DWARF 4, 6.4, and the Linux Standard
 * Base describe the format. */
#define _GNU_SOURCE
#include "cfi.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

enum { BP = 6, SP = 7, RETURN = 16 }; /* registers by DWARF's numbers */
#define MOST_SAVED 8                  /* states that a program may remember */

/* Absent before glibc 2.35: then frame pointers alone are followed. */
extern __typeof__(_dl_find_object) _dl_find_object __attribute__((weak));

static const struct step by_frame_pointer = {16, -16, FROM_BP};

struct rules {
    uint8_t base; /* register that the frame's end is counted from; 0: unknown */
    int64_t size;
    int64_t saved; /* frame pointer; 0: in place */
    bool last;     /* no return address: the outermost frame */
};

struct reader {
    const uint8_t *at, *end;
};

static uint64_t read_fixed(struct reader *reader, unsigned size) {
    uint64_t value = 0;
    if (reader->end - reader->at < (long)size)
        reader->at = reader->end;
    else
        memcpy(&value, reader->at, size), reader->at += size;
    return value;
}

static uint64_t read_uleb(struct reader *reader) {
    uint64_t value = 0;
    for (unsigned shift = 0; reader->at < reader->end; shift += 7) {
        uint8_t byte = *reader->at++;
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            break;
    }
    return value;
}

static int64_t read_sleb(struct reader *reader) {
    int64_t value = 0;
    for (unsigned shift = 0; reader->at < reader->end; shift += 7) {
        uint8_t byte = *reader->at++;
        if (shift < 64)
            value |= (int64_t)((uint64_t)(byte & 0x7f) << shift);
        if (!(byte & 0x80))
            return byte & 0x40 && shift < 57 ? value | (int64_t)(~0ull << (shift + 7)) : value;
    }
    return value;
}

/* Sizes of pointers by the low bits of their encoding; 0: not one of those in use. */
static unsigned pointer_size(uint8_t encoding) {
    static const uint8_t sizes[16] = {
        [0] = 8, [2] = 2, [3] = 4, [4] = 8, [10] = 2, [11] = 4, [12] = 8};
    return sizes[encoding & 15];
}

#define RELATIVE_INT 0x1b /* four bytes with a sign, relative to where they stand */
#define TABLE_INT 0x3b    /* the same, relative to the table */

struct entry {
    struct reader common, own; /* programs */
    uintptr_t start;
    uint64_t code_align;
    int64_t data_align;
    bool odd; /* a signal frame, or written in a way that is not known here */
};

static void read_common(const uint8_t *at, struct entry *entry) {
    uint32_t length;
    memcpy(&length, at, 4);
    struct reader reader = {at + 8, at + 4 + length};
    uint64_t version = read_fixed(&reader, 1);
    const char *letters = (const char *)reader.at;
    reader.at += strnlen(letters, (size_t)(reader.end - reader.at)) + 1;
    entry->code_align = read_uleb(&reader);
    entry->data_align = read_sleb(&reader);
    uint64_t returns = version == 1 ? read_fixed(&reader, 1) : read_uleb(&reader);
    entry->odd = (version != 1 && version != 3) || returns != RETURN || letters[0] != 'z';
    uint64_t size = read_uleb(&reader);
    const uint8_t *program = reader.at + size;
    for (const char *letter = letters + 1; !entry->odd && *letter; letter++) {
        if (*letter == 'R')
            entry->odd = read_fixed(&reader, 1) != RELATIVE_INT;
        else if (*letter == 'P')
            read_fixed(&reader, pointer_size((uint8_t)read_fixed(&reader, 1)));
        else if (*letter == 'L')
            read_fixed(&reader, 1);
        else
            entry->odd = true;
    }
    entry->common = (struct reader){program, reader.end};
}

static bool read_entry(const uint8_t *at, uintptr_t address, struct entry *entry) {
    uint32_t length, back;
    memcpy(&length, at, 4);
    memcpy(&back, at + 4, 4);
    if (length >= 0xfffffff0 || !length || !back)
        return false;
    read_common(at + 4 - back, entry);
    struct reader reader = {at + 8, at + 4 + length};
    entry->start = (uintptr_t)(at + 8) + (uintptr_t)(int32_t)read_fixed(&reader, 4);
    uint64_t range = read_fixed(&reader, 4);
    uint64_t size = read_uleb(&reader);
    entry->own = (struct reader){reader.at + size, reader.end};
    return address - entry->start < range;
}

/* The entry of an address, from the sorted table. */
static const uint8_t *find_entry(const uint8_t *table, uintptr_t address) {
    if (table[0] != 1 || table[1] != RELATIVE_INT || table[2] != 3 || table[3] != TABLE_INT)
        return NULL;
    uint32_t count;
    memcpy(&count, table + 8, 4);
    const int32_t(*rows)[2] = (const void *)(table + 12);
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if ((uintptr_t)table + (uintptr_t)(intptr_t)rows[middle][0] <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? table + rows[low - 1][1] : NULL;
}

struct machine {
    struct rules rules, initial, kept[MOST_SAVED];
    unsigned depth;
    uintptr_t at; /* the address that the rules hold from */
};

static void set_register(struct machine *machine, uint64_t number, int64_t offset) {
    if (number == BP)
        machine->rules.saved = offset;
    else if (number == RETURN && offset != -8)
        machine->rules.base = 0;
}

/* An instruction without an operand in its first byte; false if it is none that is known. */
static bool run_other(struct machine *machine, struct reader *reader, uint8_t code,
                      const struct entry *entry) {
    struct rules *rules = &machine->rules;
    uint64_t number;
    switch (code) {
    case 0x00: /* nop */
        return true;
    case 0x02: /* advance by one, two, four bytes */
    case 0x03:
    case 0x04:
        machine->at += read_fixed(reader, 1u << (code - 2)) * entry->code_align;
        return true;
    case 0x05: /* offset_extended */
        number = read_uleb(reader);
        set_register(machine, number, (int64_t)read_uleb(reader) * entry->data_align);
        return true;
    case 0x06: /* restore_extended, same_value */
    case 0x08:
        if (read_uleb(reader) == BP)
            rules->saved = code == 0x06 ? machine->initial.saved : 0;
        return true;
    case 0x07: /* undefined */
        rules->last |= read_uleb(reader) == RETURN;
        return true;
    case 0x0a: /* remember_state */
        if (machine->depth == MOST_SAVED)
            return false;
        machine->kept[machine->depth++] = *rules;
        return true;
    case 0x0b: /* restore_state */
        if (!machine->depth)
            return false;
        *rules = machine->kept[--machine->depth];
        return true;
    case 0x0c: /* def_cfa */
        rules->base = (uint8_t)read_uleb(reader);
        rules->size = (int64_t)read_uleb(reader);
        return true;
    case 0x0d: /* def_cfa_register */
        rules->base = (uint8_t)read_uleb(reader);
        return true;
    case 0x0e: /* def_cfa_offset */
        rules->size = (int64_t)read_uleb(reader);
        return true;
    case 0x2e: /* GNU_args_size */
        read_uleb(reader);
        return true;
    default:
        return false;
    }
}

/* Runs a program as far as an address; false if it holds something unknown before that. */
static bool run(struct machine *machine, struct reader reader, uintptr_t until,
                const struct entry *entry) {
    while (reader.at < reader.end && machine->at <= until) {
        uint8_t code = *reader.at++;
        uint8_t operand = code & 0x3f;
        if (code >> 6 == 1) {
            machine->at += operand * entry->code_align;
        } else if (code >> 6 == 2) {
            set_register(machine, operand, (int64_t)read_uleb(&reader) * entry->data_align);
        } else if (code >> 6 == 3) {
            if (operand == BP)
                machine->rules.saved = machine->initial.saved;
        } else if (!run_other(machine, &reader, code, entry)) {
            return false;
        }
    }
    return true;
}

static struct step step_by(const struct rules *rules) {
    struct step step = {(int32_t)rules->size, (int16_t)rules->saved, FROM_NOTHING};
    bool fits = step.size == rules->size && step.saved == rules->saved;
    if (fits && !rules->last && (rules->base == SP || rules->base == BP))
        step.from = rules->base == SP ? FROM_SP : FROM_BP;
    return step;
}

struct step cfi_step(uintptr_t address) {
    struct dl_find_object object;
    uintptr_t call = address - 1; /* a call may be a function's last instruction */
    if (!_dl_find_object || _dl_find_object((void *)call, &object) || !object.dlfo_eh_frame)
        return by_frame_pointer;
    struct entry entry;
    const uint8_t *at = find_entry(object.dlfo_eh_frame, call);
    if (!at || !read_entry(at, call, &entry))
        return by_frame_pointer;
    struct machine machine = {.at = entry.start};
    bool known = !entry.odd && run(&machine, entry.common, UINTPTR_MAX, &entry);
    machine.initial = machine.rules;
    machine.at = entry.start;
    /* Rules that begin right at the address do not hold for the call before it. */
    known = known && run(&machine, entry.own, call, &entry);
    return known ? step_by(&machine.rules) : (struct step){0, 0, FROM_NOTHING};
}
