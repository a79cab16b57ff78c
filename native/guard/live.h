/* What is live: listed by site at the end, and looked over for broken fences.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HEAPSTORY_GUARD_LIVE_H
#define HEAPSTORY_GUARD_LIVE_H

#include "output.h"

/* Checks the fences of every live block and the pattern of every quarantined one. */
void live_check(void);
/* Writes the live blocks by site. */
void live_write(struct lines *lines);

#endif
