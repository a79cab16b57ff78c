/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every file of the tool begins with: Valgrind's headers, the wire, copying. */
#ifndef HEAPSTORY_SHARED_TOOL_H
#define HEAPSTORY_SHARED_TOOL_H

#include "pub_tool_basics.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_guest.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_replacemalloc.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_transtab.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"
#include "pub_tool_xarray.h"

#include "heapstory_wire.h"
#include "shared/copy.h"

#endif
