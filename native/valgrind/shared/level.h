/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much is recorded just now. A pass asks when a superblock is translated; when the level
 * changes, all translations are thrown away, and code that runs on is translated for the new one.
 */
#ifndef HEAPSTORY_SHARED_LEVEL_H
#define HEAPSTORY_SHARED_LEVEL_H

#include "shared/tool.h"

enum hs_level {
    HS_NOTHING,        /* allocations and modules are tracked all the same */
    HS_HEAP,           /* changes of the heap and of module data, with calls */
    HS_HEAP_AND_STREAM /* and every instruction */
};
extern enum hs_level hs_level;

static inline Bool hs_recording(void) {
    return hs_level != HS_NOTHING;
}

void hs_set_level(enum hs_level level);
/* The window of the instruction stream within what is recorded: while it is open, recording is at
 * the level HS_HEAP_AND_STREAM. It opens once at most, and once closed stays so. */
extern enum hs_window { HS_WINDOW_AHEAD, HS_WINDOW_OPEN, HS_WINDOW_OVER } hs_window;
void hs_set_window(enum hs_window window);
enum hs_level hs_level_to_record(void); /* the level that recording is at just now, or would be */
/* What is appended to the ring from here on is kept: while something is recorded, and at the end.
 */
extern Bool hs_sending;

/* The translations that contain an instruction, or all of them, are thrown away before the next
 * superblock is run by the scheduler. */
void hs_discard(Addr instruction);
void hs_discard_all(void);
/* No generated code is running. True if all translations went. */
Bool hs_discard_poll(void);

#endif
