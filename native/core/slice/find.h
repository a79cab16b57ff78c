// Where in a stream an instruction ran.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/prepared.h"
#include "slice/slice.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace heapstory::slice {

// Which of its instructions an address is, by block; `nowhere` in most.
constexpr uint16_t nowhere = 0xffff;
std::vector<uint16_t> places_of(const Prepared &prepared, uint64_t address);

// The execution of that number of the instruction at an address: 1 is the first, -1 the last. None
// if it did not run as often, or number is 0.
std::optional<Point> find_execution(const Prepared &prepared, uint64_t address, int64_t number);

// Its first execution from a step on.
std::optional<Point> first_since(const Prepared &prepared, uint64_t address, uint64_t step);

// How often it ran.
uint64_t count_executions(const Prepared &prepared, uint64_t address);

// Whether there is such a point: an effect, or an instruction that ran or was about to.
bool exists(const Prepared &prepared, Point point);

// The address of the instruction there; of an effect, of the one that it counts for.
std::optional<uint64_t> address_at(const Prepared &prepared, Point point);

// The instruction that made the memory read of that number, counted as above.
std::optional<Point> find_read(const Prepared &prepared, int64_t number);

// The last instruction that faulted.
std::optional<Point> find_fault(const Prepared &prepared);

// The last instruction in a step that stored to an address; an effect that did.
std::optional<Point> find_writer(const Prepared &prepared, uint64_t step, uint64_t address);

// The last instructions of the branches that decide whether the instruction at an address runs.
std::vector<uint64_t> deciders(const Prepared &prepared, uint64_t address);

} // namespace heapstory::slice
