// What questions about the instruction stream share: how places are given, how slices are told.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/prepared.h"
#include "slice/slice.h"
#include "table.h"

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

namespace heapstory {

using StreamPlace = std::pair<uint64_t, uint16_t>; // step, instruction of its block
using MemoryRange = std::pair<uint64_t, uint64_t>; // address, bytes

using RegisterBytes = std::pair<unsigned, unsigned>; // first, count

// Registers and memory as they are before the instruction at a place.
using HandedBytes = std::tuple<StreamPlace, std::vector<RegisterBytes>, std::vector<MemoryRange>>;

// A point, instructions before it with all that they use, what memory and registers held there, and
// what they held before it.
using Asked = std::tuple<StreamPlace, std::vector<StreamPlace>, std::vector<MemoryRange>,
                         std::vector<RegisterBytes>, std::vector<HandedBytes>>;

// IndexError if the stream has no such place.
slice::Criterion criterion_of(const slice::Prepared &prepared, const Asked &asked);
// What is at a place or, where memory is given, what that held before it.
slice::Criterion criterion_of(const slice::Prepared &prepared, StreamPlace place,
                              const std::vector<MemoryRange> &memory);
Table table_of_hits(const slice::Slice &found);

} // namespace heapstory
