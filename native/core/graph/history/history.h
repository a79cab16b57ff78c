// Every version of a range of bytes, as a table.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "graph/edges/pointers.h"
#include "store/table.h"

namespace heapstory {

// Those with first <= timestamp <= last, oldest first.
TableData history_table(const Store &store, const Pointers &pointers, uint64_t address,
                        uint64_t size, uint64_t first, uint64_t last);

} // namespace heapstory
