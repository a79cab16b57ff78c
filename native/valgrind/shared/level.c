/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The level, and translations that are no longer right. Valgrind must not lose a translation while
 * it runs, so what is to go is noted and goes between superblocks.
 */
#include "shared/level.h"

extern void VG_(discard_translations)(Addr, ULong, const HChar *);

#define EVERYTHING (1ull << 47)

enum hs_level hs_level = HS_HEAP;
Bool hs_sending = True;

static XArray *instructions; /* of Addr */
static Bool all;

void hs_set_level(enum hs_level level) {
    if (level != hs_level)
        hs_discard_all();
    hs_level = level;
    hs_sending = level != HS_NOTHING;
}

enum hs_window hs_window = HS_WINDOW_OVER;

enum hs_level hs_level_to_record(void) {
    return hs_window == HS_WINDOW_OPEN ? HS_HEAP_AND_STREAM : HS_HEAP;
}

void hs_set_window(enum hs_window window) {
    hs_window = window;
    if (hs_recording())
        hs_set_level(hs_level_to_record());
}

void hs_discard(Addr instruction) {
    if (!instructions)
        instructions = VG_(newXA)(VG_(malloc), "hs.discard", VG_(free), sizeof(Addr));
    VG_(addToXA)(instructions, &instruction);
}

void hs_discard_all(void) {
    all = True;
}

Bool hs_discard_poll(void) {
    Bool went = all;
    if (all) {
        all = False;
        VG_(discard_translations)(0, EVERYTHING, "heapstory: level");
    }
    for (Word i = 0; instructions && i < VG_(sizeXA)(instructions); i++)
        VG_(discard_translations)(*(Addr *)VG_(indexXA)(instructions, i), 1, "heapstory: quiet");
    if (instructions)
        VG_(deleteXA)(instructions);
    instructions = NULL;
    return went;
}
