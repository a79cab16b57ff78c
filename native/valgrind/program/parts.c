/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses inside blocks that C++ programs keep in place of the start, found without symbols:
 * - behind the count of new[] (or behind a header that is the size of the block),
 * - sub-objects of multiple inheritance: a table of virtual functions at the head of the block and
 *   another one there,
 * - the characters of a std::string with a reference count.
 */
#include "functions/functions.h"
#include "program/program.h"
#include "pub_tool_hashtable.h"
#include "shared/peek.h"

#define SMALLEST_POINTER 0x10000ul /* what is less is a number */
#define LARGEST_OBJECT 4096        /* bytes that are looked through for sub-objects */
#define TABLE_WORDS 16             /* of a table of functions that are looked at */
#define MOST_REFERENCES (1 << 20)

/* What a std::string of before C++11 has before its characters. */
struct string_head {
    ULong length, capacity;
    Int references; /* -1: not shared */
};

static void (*tell)(Addr part, UInt why);

/* ---- new[] ---- */

static void look_for_array(Addr block, SizeT size) {
    ULong count = *(ULong *)block;
    SizeT rest = size - sizeof(ULong);
    if (size <= sizeof(ULong) || !count)
        return;
    if (count == size || (count <= rest && rest % count == 0))
        tell(block + sizeof(ULong), HSW_PART_ARRAY);
}

/* ---- multiple inheritance ---- */

static Bool is_code(Addr address) {
    const NSegment *segment = VG_(am_find_nsegment)(address);
    return segment && segment->kind == SkFileC && segment->hasX;
}

/* At least two pointers to code, zeros skipped. */
static Bool has_functions(Addr table) {
    ULong words[TABLE_WORDS];
    UInt functions = 0;
    if (!hs_peek(words, table, sizeof words))
        return False;
    for (UInt i = 0; i < TABLE_WORDS && functions < 2; i++) {
        if (words[i] && !is_code(words[i]))
            return False;
        functions += words[i] != 0;
    }
    return functions == 2;
}

/* Answers are kept: there are few tables, and many objects. */
struct table {
    VgHashNode node; /* key: the address */
    Bool has_functions;
};
static VgHashTable *tables;

static Bool is_function_table(Addr address) {
    const NSegment *segment;
    struct table *known;
    if (address < SMALLEST_POINTER || address % sizeof(ULong))
        return False;
    if (!tables)
        tables = VG_(HT_construct)("hs.tables");
    known = VG_(HT_lookup)(tables, address);
    if (known)
        return known->has_functions;
    segment = VG_(am_find_nsegment)(address);
    known = VG_(malloc)("hs.table", sizeof *known);
    known->node.key = address;
    known->has_functions = segment && segment->kind == SkFileC && has_functions(address);
    VG_(HT_add_node)(tables, known);
    return known->has_functions;
}

static void look_for_bases(Addr block, SizeT size) {
    SizeT end = size < LARGEST_OBJECT ? size : LARGEST_OBJECT;
    if (size < 2 * sizeof(ULong) || !is_function_table(*(Addr *)block))
        return;
    for (SizeT at = sizeof(ULong); at + sizeof(ULong) <= end; at += sizeof(ULong))
        if (is_function_table(*(Addr *)(block + at)))
            tell(block + at, HSW_PART_INHERITANCE);
}

/* ---- strings ---- */

static void look_for_string(Addr block, SizeT size) {
    const struct string_head *head = (const struct string_head *)block;
    const HChar *text = (const HChar *)block + sizeof *head;
    if (size <= sizeof *head || head->capacity > size - sizeof *head - 1 ||
        head->length > head->capacity || head->references < -1 ||
        head->references > MOST_REFERENCES)
        return;
    /* Its memory is never much larger than that, and the text ends where it says. */
    if (head->capacity + sizeof *head + 1 != size || text[head->length])
        return;
    tell(block + sizeof *head, HSW_PART_STRING);
}

static void look(Addr block, SizeT size, Bool readable) {
    if (!readable)
        return;
    look_for_array(block, size);
    look_for_bases(block, size);
    look_for_string(block, size);
}

void hs_visit_parts(void (*found)(Addr part, UInt why)) {
    if (tables) /* a library may have been unloaded meanwhile */
        VG_(HT_destruct)(tables, VG_(free));
    tables = NULL;
    tell = found;
    hs_live_visit(look);
}
