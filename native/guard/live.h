/* What is live: listed by site at the end, and looked over for broken fences.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HEAPSTORY_GUARD_LIVE_H
#define HEAPSTORY_GUARD_LIVE_H

#include "output.h"

/* Checks the fences of every live block and the pattern of every quarantined one; writes the live
 * blocks by site if the settings ask for it. Returns how many blocks were made since that scan. */
uint64_t live_look_over(struct lines *lines, uint16_t since);

#endif
