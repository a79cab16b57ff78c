// Type propagation: typed fields tell the types of the nodes they point to.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "format/program/tables.h"
#include "graph/nodes/graph_node.h"

#include <span>
#include <vector>

namespace heapstory {

// A pointer to the start of a heap node of unknown type.
struct TypeHint {
    uint32_t source = 0, target = 0; // indices of the nodes
    uint64_t offset = 0;             // of the field
};

// The hints of some nodes that follow each other.
class TypeHints {
  public:
    TypeHints() = default;
    // They come in order of their sources, which lie in [first, end).
    TypeHints(std::vector<TypeHint> hints, uint32_t first, uint32_t end);

    uint32_t first() const { return first_; }
    uint32_t end() const { return first_ + uint32_t(starts_.size()) - 1; }
    std::span<const TypeHint> of(uint32_t source) const {
        return std::span(hints_).subspan(starts_[source - first_],
                                         starts_[source - first_ + 1] - starts_[source - first_]);
    }

  private:
    std::vector<TypeHint> hints_;
    std::vector<uint32_t> starts_; // by source, and the end
    uint32_t first_ = 0;
};

// Gives the targets the types that the fields tell, from node to node. The pieces come in order
// and leave no node out; returns the indices of those that have a type now.
std::vector<uint32_t> propagate_types(const Tables &tables, std::span<const TypeHints> pieces,
                                      std::span<GraphNode> nodes);

} // namespace heapstory
