// Loops and what their iterations take over, for Python.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/loops/loops.h"
#include "slice_answers.h"

#include <tuple>

namespace heapstory {

// The loops of a run: tables of the loops, of what their iterations take over from one another, and
// of the instructions that lead back to their headers.
std::tuple<Table, Table, Table> loop_tables(const slice::Prepared &prepared,
                                            const std::vector<MemoryRange> &ignored,
                                            std::vector<stream::Allocation> allocations,
                                            slice::LinesOf lines, bool forward, bool whole);

} // namespace heapstory
