/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sites: numbers for the instructions that records name. */
#ifndef HEAPSTORY_SHARED_SITES_H
#define HEAPSTORY_SHARED_SITES_H

#include "shared/tool.h"

UInt hs_new_site(Addr instruction, UInt size, UInt kind, Bool own);

#endif
