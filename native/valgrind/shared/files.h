/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which files are mapped where, whatever for. */
#ifndef HEAPSTORY_SHARED_FILES_H
#define HEAPSTORY_SHARED_FILES_H

#include "shared/tool.h"

void hs_file_mapped(Addr start, SizeT length, const NSegment *segment);
void hs_file_unmapped(Addr start, SizeT length);
void hs_send_files(void); /* all that are mapped */

#endif
