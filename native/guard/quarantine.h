/* Freed blocks wait here, filled with a pattern, before libc may give them out again.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One queue per thread, so that freeing takes no lock. A block whose pattern has changed when it
 * leaves was written after it was freed. */
#ifndef HEAPSTORY_GUARD_QUARANTINE_H
#define HEAPSTORY_GUARD_QUARANTINE_H

#include "blocks.h"

/* Takes a block whose mark is MARK_QUARANTINE. */
void quarantine_add(struct block *block, uint32_t site);
/* Checks the pattern of a quarantined block; reports it if it changed. */
void quarantine_check(char *user);
/* What the header of a quarantined block says; false if it is broken, and then only `user` counts.
 */
bool quarantine_block(char *user, struct block *block);
void quarantine_start(void);

#endif
