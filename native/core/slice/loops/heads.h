// Which code of a loop decides whether there is another iteration, before any of it runs.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/loops/shapes.h"
#include "slice/prepared.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace heapstory::slice {

// Which lines of source (as numbers) the code at an address is of: the innermost first, then those
// that it was inlined into. Where nobody knows, the first test of a condition is the condition.
using LinesOf = std::function<std::vector<uint64_t>(uint64_t address)>;

// A head is the header and, where the condition calls functions or has several parts, what follows
// on the same line as long as it can still end the loop.
class LoopHeads {
  public:
    LoopHeads(const Prepared &prepared, const LoopShapes &shapes, const LinesOf &lines);

    // Whether an iteration has begun when a node of the loop runs.
    bool is_beyond(uint32_t loop, uint32_t node) const {
        const std::vector<uint32_t> &head = heads_[loop];
        return !std::binary_search(head.begin(), head.end(), node);
    }

  private:
    std::vector<std::vector<uint32_t>>
        heads_; // by loop, ascending; empty: the condition comes last
};

} // namespace heapstory::slice
