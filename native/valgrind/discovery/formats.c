/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Modes portable and internals: sprintf and its family write through a pointer of their own, piece
 * by piece. When one returns, what it wrote counts as base + offset for every byte.
 */
#include "discovery/nodes.h"
#include "functions/watch.h"

static const struct {
    const HChar *name;
    UInt size; /* argument with the size, 0: none */
} formats[] = {
    {"sprintf", 0},  {"vsprintf", 0},  {"__sprintf_chk", 0},  {"__vsprintf_chk", 0},
    {"snprintf", 2}, {"vsnprintf", 2}, {"__snprintf_chk", 2}, {"__vsnprintf_chk", 2},
};

static Int find(Addr code, const HChar *name) {
    for (UInt i = 0; name && i < sizeof formats / sizeof *formats; i++)
        if (VG_(strcmp)(name, formats[i].name) == 0)
            return i;
    return -1;
}

static Bool entered(const struct hs_call_note *note) {
    return hs_is_heap(note->argument[0]);
}

static void returned(const struct hs_call_note *note, ULong result, Bool used) {
    UInt size = formats[note->number].size;
    ULong written = (ULong)(UInt)result + 1;
    if ((Int)result < 0)
        return;
    if (size && written > note->argument[size - 1])
        written = note->argument[size - 1];
    hs_ranged_write(note->argument[0], written, 0);
}

static struct hs_watcher watcher = {find, entered, returned};

void hs_formats_start(void) {
    hs_watch(&watcher);
}
