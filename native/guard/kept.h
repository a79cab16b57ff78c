/* Descriptors that stay open when the process changes its root or its user, and /proc by one.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * They are high numbers, which programs do not count on, and closed by exec. A program may close
 * them all the same: what they were opened for is compared before each use. */
#ifndef HEAPSTORY_GUARD_KEPT_H
#define HEAPSTORY_GUARD_KEPT_H

#include <stddef.h>

enum kept { KEPT_PROC, KEPT_FOLDER, KEPT_REPORT, KEPT };

/* Takes an open file (or an error) in place of what was kept. */
void keep(enum kept which, long file);
/* The descriptor, -1: none, or not any more. */
long kept(enum kept which);
/* Closes all other descriptors from 3 on. */
void kept_close_others(void);

/* A file below /proc, by its name there; where there is no /proc any more, by the one kept. */
long proc_open(const char *name, int flags);
/* What is in it, as text; at most size - 1 bytes. Returns how many, or an error. */
long proc_read(const char *name, char *text, size_t size);
/* Before the root changes. */
void proc_keep(void);

#endif
