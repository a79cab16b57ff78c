/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files that are mapped as code: which are own code, where their data lies. */
#ifndef HEAPSTORY_SHARED_MODULES_H
#define HEAPSTORY_SHARED_MODULES_H

#include "shared/tool.h"

void hs_modules_init(void);
void hs_module_mapped(Addr start, SizeT length, UInt protection, const NSegment *segment);
void hs_module_unmapped(Addr start, SizeT length);
void hs_send_modules(void); /* all that are mapped, with their data */

Bool hs_is_own(Addr code);
Bool hs_in_preload(Addr code);
Bool hs_in_module_data(Addr address);
/* Of a module with code of an allocator that is left out, not all stores into its data are known;
 * of others all are, unless that code calls theirs: it calls system libraries only. */
void hs_module_allocates(Addr code);
Bool hs_allocates(Addr code); /* its module, as far as its code has run */
Bool hs_is_known_data(Addr address);
const HChar *hs_module_path(Addr code); /* NULL if it is none's */
Addr hs_unwind_table(Addr code);        /* 0 if there is none */

#endif
