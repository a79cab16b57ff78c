/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Modes portable and internals: sprintf and scanf and their families write through pointers of
 * their own, piece by piece. When one returns, what it wrote counts as base + offset for every
 * byte: of sprintf all of it, of scanf the texts (%s and %[) that it stored. Arguments that scanf
 * takes from the stack are not looked at.
 */
#include "discovery/nodes.h"
#include "functions/watch.h"
#include "shared/peek.h"

#define MOST_TEXT 65536 /* bytes of a text that are looked at */
#define REGISTERS 6     /* arguments of a call that are in registers */
#define MOST_FIELDS 32  /* of a format that are looked at before the call */

static const struct {
    const HChar *name;
    UInt size;   /* argument with the size, 0: none */
    UInt format; /* scanf: argument with the format, 0: it prints */
    Bool list;   /* the arguments behind it are a va_list */
} formats[] = {
    {"sprintf", 0},          {"vsprintf", 0},
    {"__sprintf_chk", 0},    {"__vsprintf_chk", 0},
    {"snprintf", 2},         {"vsnprintf", 2},
    {"__snprintf_chk", 2},   {"__vsnprintf_chk", 2},
    {"sscanf", 0, 2},        {"__isoc99_sscanf", 0, 2},
    {"fscanf", 0, 2},        {"__isoc99_fscanf", 0, 2},
    {"scanf", 0, 1},         {"__isoc99_scanf", 0, 1},
    {"vsscanf", 0, 2, True}, {"__isoc99_vsscanf", 0, 2, True},
    {"vfscanf", 0, 2, True}, {"__isoc99_vfscanf", 0, 2, True},
    {"vscanf", 0, 1, True},  {"__isoc99_vscanf", 0, 1, True},
};

static Int find(Addr code, const HChar *name) {
    for (UInt i = 0; name && i < sizeof formats / sizeof *formats; i++)
        if (VG_(strcmp)(name, formats[i].name) == 0)
            return i;
    return -1;
}

/* ---- scanf ---- */

/* A va_list as the ABI has it, when the function was entered. */
struct arguments {
    UInt general, floating; /* offsets of the next ones in the area of registers */
    Addr stack, registers;
};

/* The i-th argument behind the format that is no number with a point; 0 if it cannot be told. */
static Addr argument(const struct hs_call_note *note, const struct arguments *list, UInt i) {
    UInt place = formats[note->number].format + i;
    Addr value = 0;
    if (!formats[note->number].list)
        return place < REGISTERS ? note->argument[place] : 0;
    if (list->general + 8 * i < 8 * REGISTERS)
        hs_peek(&value, list->registers + list->general + 8 * i, sizeof value);
    else
        hs_peek(&value, list->stack + list->general + 8 * i - 8 * REGISTERS, sizeof value);
    return value;
}

static HChar at(Addr text) {
    HChar c = 0;
    hs_peek(&c, text, 1);
    return c;
}

SizeT hs_text_length(Addr text) {
    SizeT length = 0;
    while (length < MOST_TEXT && at(text + length))
        length++;
    return length;
}

/* What is done with a text: before it is stored, and afterwards. */
typedef void act(const struct hs_call_note *note, Addr text);

static void will_be_stored(const struct hs_call_note *note, Addr text) {
    hs_text_over_fields(note->extra, text, MOST_TEXT);
}

static void stored(const struct hs_call_note *note, Addr text) {
    if (hs_is_heap(text))
        hs_ranged_write(text, hs_text_length(text) + 1, 0);
}

/* One conversion, from behind its %. Returns where it ends; counts the argument it stores to. */
static Addr conversion(Addr f, const struct hs_call_note *note, const struct arguments *list,
                       UInt *n, act *act) {
    Bool kept = True, plain = True;
    HChar c;
    if (at(f) == '*') {
        kept = False;
        f++;
    }
    while ((c = at(f)) >= '0' && c <= '9')
        f++;
    for (; (c = at(f)) == 'l' || c == 'h' || c == 'm' || c == 'j' || c == 'z' || c == 't' ||
           c == 'L' || c == 'q';
         f++)
        plain = False; /* wide, or allocated */
    if (c == '[') {
        f += at(f + 1) == '^' ? 3 : 2; /* a bracket that comes first is in the set */
        while (at(f) && at(f) != ']')
            f++;
        c = 's';
    }
    if (c != '%' && kept) {
        if (c == 's' && plain)
            act(note, argument(note, list, *n));
        ++*n;
    }
    return at(f) ? f + 1 : f;
}

static void scan(const struct hs_call_note *note, UInt fields, act *act) {
    struct arguments list = {0};
    Addr f = note->argument[formats[note->number].format - 1];
    UInt n = 0;
    if (formats[note->number].list)
        hs_peek(&list, note->argument[formats[note->number].format], sizeof list);
    while (n < fields && at(f))
        f = at(f) == '%' ? conversion(f + 1, note, &list, &n, act) : f + 1;
}

/* ---- both ---- */

static Bool entered(const struct hs_call_note *note) {
    return formats[note->number].format || hs_is_heap(note->argument[0]);
}

static void will_store(struct hs_call_note *note, ULong *arguments) {
    UInt size = formats[note->number].size;
    note->extra = hs_call_over_fields();
    if (formats[note->number].format)
        scan(note, MOST_FIELDS, will_be_stored);
    else
        hs_text_over_fields(note->extra, arguments[0], size ? arguments[size - 1] : MOST_TEXT);
}

static void returned(const struct hs_call_note *note, ULong result, Bool used) {
    UInt size = formats[note->number].size;
    ULong written = (ULong)(UInt)result + 1;
    hs_texts_stored(note->extra);
    if ((Int)result < 0)
        return;
    if (formats[note->number].format) {
        scan(note, (UInt)result, stored);
        return;
    }
    if (size && written > note->argument[size - 1])
        written = note->argument[size - 1];
    hs_ranged_write(note->argument[0], written, 0);
}

static struct hs_watcher watcher = {find, entered, returned, will_store};

void hs_formats_start(void) {
    hs_watch(&watcher);
}
