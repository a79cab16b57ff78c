// The loops of a control-flow graph.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/flow_graph.h"

#include <cstdint>
#include <vector>

namespace heapstory::slice {

struct LoopShape {
    uint32_t header = 0;
    uint32_t parent = 0; // the loop around it; 0: none
    bool reducible = true;
    std::vector<uint32_t> nodes; // ascending
    std::vector<uint32_t> ends;  // those that lead back to the header
};

// Natural loops: where a branch leads back to a node that dominates it. Loops with one header are
// one. What is a cycle without such a node is told as an irreducible loop, with the header that
// runs first. Loops count from 1. A stream that is not `whole` ended while the program ran on: what
// would have come next is a part of the graph then.
class LoopShapes {
  public:
    LoopShapes(const FlowGraph &graph, bool whole);

    uint32_t size() const { return uint32_t(shapes_.size() - 1); }
    const LoopShape &shape(uint32_t loop) const { return shapes_[loop]; }
    uint32_t innermost(uint32_t node) const { return innermost_[node]; }
    // The loop that a node is the header of; 0: none.
    uint32_t headed(uint32_t node) const { return headed_[node]; }
    bool contains(uint32_t loop, uint32_t node) const {
        uint32_t inner = innermost_[node];
        while (inner && inner != loop)
            inner = shapes_[inner].parent;
        return inner;
    }

  private:
    std::vector<LoopShape> shapes_;
    std::vector<uint32_t> innermost_, headed_;
};

} // namespace heapstory::slice
