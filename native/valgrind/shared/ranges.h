/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ranged operations (copies, fills, system calls) told to listeners and sent. */
#ifndef HEAPSTORY_SHARED_RANGES_H
#define HEAPSTORY_SHARED_RANGES_H

#include "shared/tool.h"

/* A ranged operation has written: listeners hear of it, then it is sent. */
void hs_range(Addr start, SizeT length, UInt kind, ULong site);
void hs_fill(Addr start, SizeT length, UChar byte, ULong site);
/* The same of one that is about to write these bytes. */
void hs_range_of(Addr start, const void *bytes, SizeT length, UInt kind, ULong site);
/* It is sent, and nobody else hears of it. */
void hs_send_range(Addr start, SizeT length, UInt kind, ULong site);
void hs_send_fill(Addr start, SizeT length, UChar byte, ULong site);

#endif
