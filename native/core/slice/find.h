// Where in a stream an instruction ran.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/prepared.h"
#include "slice/slice.h"

#include <cstdint>
#include <optional>

namespace heapstory::slice {

// The execution of that number of the instruction at an address: 1 is the first, -1 the last. None
// if it did not run as often, or number is 0.
std::optional<Point> find_execution(const Prepared &prepared, uint64_t address, int64_t number);

// How often it ran.
uint64_t count_executions(const Prepared &prepared, uint64_t address);

// Whether there is such a point: an effect, or an instruction that ran or was about to.
bool exists(const Prepared &prepared, Point point);

} // namespace heapstory::slice
