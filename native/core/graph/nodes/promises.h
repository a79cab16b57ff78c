// Types that typed fields promise to the nodes they point to.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "format/program/tables.h"
#include "graph/nodes/graph_node.h"

#include <span>
#include <vector>

namespace heapstory {

// A pointer to the start of a heap node of unknown type.
struct Promise {
    uint32_t source = 0, target = 0; // places of the nodes
    uint64_t offset = 0;             // of the field
};

// The promises of some nodes that follow each other.
class Promises {
  public:
    Promises() = default;
    // They come in order of their sources, which lie in [first, end).
    Promises(std::vector<Promise> promises, uint32_t first, uint32_t end);

    uint32_t first() const { return first_; }
    uint32_t end() const { return first_ + uint32_t(starts_.size()) - 1; }
    std::span<const Promise> of(uint32_t source) const {
        return std::span(promises_).subspan(starts_[source - first_], starts_[source - first_ + 1] -
                                                                          starts_[source - first_]);
    }

  private:
    std::vector<Promise> promises_;
    std::vector<uint32_t> starts_; // by source, and the end
    uint32_t first_ = 0;
};

// Gives the targets the types that the fields promise, from node to node. The pieces come in order
// and leave no node out; returns the places of those that have a type now.
std::vector<uint32_t> keep_promises(const Tables &tables, std::span<const Promises> pieces,
                                    std::span<GraphNode> nodes);

} // namespace heapstory
