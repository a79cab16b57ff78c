// Dependent loads, for Python.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice_answers.h"

#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace heapstory {

// Address, bytes, and the steps between which it counts; none: up to the end.
using LoadedMemory = std::tuple<uint64_t, uint64_t, uint64_t, std::optional<uint64_t>>;

// Loads of some memory that depend on each other: the pairs, and totals.
std::pair<Table, nanobind::dict> load_pair_table(const slice::Prepared &prepared,
                                                 const std::vector<LoadedMemory> &memory);

} // namespace heapstory
