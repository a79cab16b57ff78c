// Which code of a loop decides whether there is another iteration, before any of it runs.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/loops/loops.h"
#include "slice/loops/shapes.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace heapstory::slice {

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
