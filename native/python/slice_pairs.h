// Dependent loads, for Python.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice_answers.h"

namespace heapstory {

// Loads of some memory that depend on each other: the pairs, and totals.
std::pair<Table, nanobind::dict> load_pair_table(const slice::Prepared &prepared,
                                                 const std::vector<MemoryRange> &memory);

} // namespace heapstory
