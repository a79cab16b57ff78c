/* exec and posix_spawn: what a process becomes is guarded whatever environment it is given.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HEAPSTORY_GUARD_EXEC_H
#define HEAPSTORY_GUARD_EXEC_H

/* Remembers what the guard was started with. */
void exec_start(void);

#endif
