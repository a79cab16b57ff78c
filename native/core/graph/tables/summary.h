// What is in a trace, counted.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "graph/edges/pointers.h"

#include <cstdint>

namespace heapstory {

struct Summary {
    uint64_t allocations = 0, frees = 0, calls = 0, ranges = 0, cpoints = 0, threads = 1;
    uint64_t nodes = 0, edges = 0; // at the last timestamp; edges: live pointers
    uint32_t crash_site = 0;       // 0: it did not crash
    uint32_t crash_stack = 0;      // 0: unknown
    uint64_t event_bytes = 0, symbol_bytes = 0, source_bytes = 0;
};

Summary summary_of(const Store &store, const Pointers &pointers);

} // namespace heapstory
