/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starting the collector, the process that reads the ring. */
#ifndef HEAPSTORY_SHARED_COLLECTOR_H
#define HEAPSTORY_SHARED_COLLECTOR_H

#include "shared/tool.h"

Int hs_start_collector(Int ring); /* the socket to it, or -1 */

#endif
