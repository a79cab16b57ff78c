/* Which code stands where, so that return addresses can be named afterwards.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HEAPSTORY_GUARD_MODULES_H
#define HEAPSTORY_GUARD_MODULES_H

#include "output.h"

struct mapping {
    uintptr_t start, end, offset;
    bool readable, writable, executable, shared;
    char path[1024]; /* "" for memory without a file */
};

/* Calls for every mapping of the process. Reads /proc/self/maps: no lock of the loader is taken. */
typedef void mapping_visitor(const struct mapping *mapping, void *data);
bool mappings_visit(mapping_visitor *visit, void *data);

/* Writes the lines of modules that were not written before. */
void modules_write(struct lines *lines);
/* In a forked child: its file has none yet. */
void modules_forget(void);

#endif
